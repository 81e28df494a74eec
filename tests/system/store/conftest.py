"""Real servers for the store's tests; each test ends with none of its processes left."""

from deployments import cluster, servers
from servers import home, kill_server, processes, start_client, start_redis, store, wait_for

__all__ = [
    "cluster",
    "home",
    "kill_server",
    "processes",
    "servers",
    "start_client",
    "start_redis",
    "store",
    "wait_for",
]
