"""Servers that the user names: every way to fail says what to do, and nothing is reconfigured."""

import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from redis import Redis

from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.store.connection import StoreSettings, connect
from ipuaro_jupyter.store.topology import told_servers

StartRedis = Callable[..., str]


def opened(url: str):
    return connect(StoreSettings(url=url))


def test_refused_connection_names_url_and_remedy() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, not listening
        url = f"redis://:secret@127.0.0.1:{taken.getsockname()[1]}/0"
        began = time.monotonic()
        with pytest.raises(StorageError, match=r"Is it running\? Try `redis-cli -u") as caught:
            opened(url)
    assert time.monotonic() - began < 1
    assert "redis://:***@127.0.0.1" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_missing_socket_names_url_and_remedy(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"unix:///.*redis-cli -s .*r\.sock ping"):
        opened(f"unix://{tmp_path}/r.sock")


def test_host_that_does_not_exist_is_a_storage_error() -> None:
    with pytest.raises(StorageError, match=r"redis://no-such-host\.invalid"):
        opened("redis://no-such-host.invalid")


def test_bad_url_says_what_is_allowed() -> None:
    with pytest.raises(StorageError, match="allowed are redis://"):
        opened("http://localhost")


@pytest.mark.parametrize(
    "url",
    [
        "redis://localhost?nonsense=1",
        "redis://localhost?retry_on_error=x",
        "redis://localhost?protocol=3",
        "redis://localhost?db=x",
        "unix:///tmp/x?db=abc",
        "unix:///tmp/x?socket_keepalive=1",
        "redis://localhost?socket_timeout=abc",
        "redis://localhost?socket_connect_timeout=-1",
        "redis://localhost?socket_connect_timeout=nan",
        "redis://localhost?ssl_certfile=/x",
        "rediss://localhost?ssl_cert_reqs=x",
    ],
)
def test_option_that_cannot_be_used_names_those_that_can(url: str) -> None:
    with pytest.raises(StorageError, match=r"cannot be used: .*allowed are .*db,.*ssl_ca_certs"):
        opened(url)


def test_password_with_a_question_mark_is_not_taken_for_an_option() -> None:
    with pytest.raises(StorageError, match="password are percent-encoded") as caught:
        opened("redis://me:6379?secret@localhost/0")
    assert "secret" not in str(caught.value)


def test_options_of_the_url_are_used(start_redis: StartRedis) -> None:
    url = start_redis()
    store = opened(f"{url}?db=2&client_name=mine&socket_keepalive=1&socket_timeout=5")
    names = [client["name"] for client in store._client.run("CLIENT LIST")]
    assert names == ["mine"]
    store.close()


def test_server_on_a_unix_socket(start_redis: StartRedis, tmp_path: Path) -> None:
    path = Path(os.path.relpath(tmp_path / "r.sock", "/"))
    start_redis("--unixsocket", f"/{path}")
    store = opened(f"unix:///{path}?db=3")
    store.set("a", b"1")
    assert store.get("a") == b"1"
    store.close()


def test_database_of_the_url_is_used(start_redis: StartRedis) -> None:
    url = start_redis()
    one, two = opened(url.replace("/0", "/1")), opened(url)
    one.set("a", b"1")
    assert two.get("a") is None
    one.close()
    two.close()


def test_server_is_never_reconfigured(start_redis: StartRedis) -> None:
    url = start_redis("--appendonly", "no")
    store = opened(url)
    store.set("a", b"1")
    with store.batch(atomic=True) as batch:
        batch.move("a", "b")
    with store.lock("k", timeout_s=1, wait_s=0):
        assert told_servers(store).startswith("one server, ")
    with Redis.from_url(url) as admin:
        assert admin.config_get("appendonly") == {"appendonly": "no"}
        commands = set(admin.info("commandstats"))
    assert "cmdstat_config|get" in commands, "what the test itself asked"
    assert not {name for name in commands if name.startswith("cmdstat_config|set")}
    assert not commands & {"cmdstat_shutdown", "cmdstat_flushall", "cmdstat_flushdb"}
    store.close()


def test_password_is_asked_for(start_redis: StartRedis) -> None:
    url = start_redis("--requirepass", "right")
    with pytest.raises(StorageError, match="wants a user name or password"):
        opened(url)
    with pytest.raises(StorageError, match="wants a user name or password") as caught:
        opened(url.replace("://", "://:wrong@"))
    assert "wrong" not in str(caught.value)
    store = opened(url.replace("://", "://:right@"))
    assert "://:***@" in store.url
    store.close()


def test_user_without_the_right_is_told(start_redis: StartRedis) -> None:
    url = start_redis("--user", "me", "on", ">pw", "~*", "+ping", "+get")
    store = opened(url.replace("://", "://me:pw@"))
    assert store.get("a") is None
    with pytest.raises(StorageError, match="does not let this user do that"):
        store.set("a", b"1")
    assert told_servers(store) == "one server, redis"
    store.close()


def test_replica_is_told(start_redis: StartRedis) -> None:
    port = start_redis().rpartition(":")[2].removesuffix("/0")
    store = opened(start_redis("--replicaof", "127.0.0.1", port))
    with pytest.raises(StorageError, match="is a read-only replica: name its primary"):
        store.set("a", b"1")
    store.close()


@pytest.mark.parametrize("atomic", [True, False])
def test_full_memory_is_told(start_redis: StartRedis, *, atomic: bool) -> None:
    store = opened(start_redis("--maxmemory", "1mb", "--maxmemory-policy", "noeviction"))

    def fill() -> None:
        with store.batch(atomic=atomic) as batch:
            for number in range(50):
                batch.set(f"a{number}", b"x" * 100_000)

    with pytest.raises(StorageError, match="is out of memory") as caught:
        fill()
    assert "raise maxmemory on that server (" in str(caught.value)
    assert "Command #" not in str(caught.value)
    assert "xxx" not in str(caught.value)
    with pytest.raises(StorageError, match="is out of memory"):
        store.set("b", b"x" * 2_000_000)
    store.close()


def test_loading_is_told(start_redis: StartRedis, tmp_path: Path) -> None:
    url = start_redis()
    with Redis.from_url(url) as admin:
        for number in range(40):
            admin.set(f"k{number}", os.urandom(3000))
        admin.save()
    slow = ("--key-load-delay", "50000", "--loading-process-events-interval-bytes", "1024")
    assert (tmp_path / "dump.rdb").exists()
    with pytest.raises(StorageError, match="is still loading its data: try again"):
        opened(start_redis(*slow))


@pytest.fixture
def stopped_redis(start_redis: StartRedis) -> Iterator[str]:
    url = start_redis()
    with Redis.from_url(url) as admin:
        pid = int(admin.info("server")["process_id"])
    yield f"{url}?socket_timeout=0.3"
    os.kill(pid, signal.SIGCONT)


def test_server_that_hangs_is_a_storage_error(stopped_redis: str) -> None:
    store = opened(stopped_redis)
    pid = int(store._client.run("INFO", "server")["process_id"])
    os.kill(pid, signal.SIGSTOP)
    began = time.monotonic()
    with pytest.raises(StorageError, match="does not answer: Timeout"):
        store.get("a")
    assert time.monotonic() - began < 5
    os.kill(pid, signal.SIGCONT)
    assert store.get("a") is None
    store.close()


def test_server_that_comes_back_is_used_again(start_redis: StartRedis) -> None:
    url = start_redis()
    store = opened(url)
    pid = int(store._client.run("INFO", "server")["process_id"])
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    with pytest.raises(StorageError, match=r"Is it running\?"):
        store.get("a")
    port = url.rpartition(":")[2].removesuffix("/0")
    start_redis(port=int(port))
    assert store.get("a") is None
    store.close()
