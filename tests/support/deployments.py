"""Redis as people run it: a primary with a replica and sentinels, a cluster, TLS and users."""

import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from kept_logs import keep_logs
from redis import Redis
from servers import accepts, become, free_port

PASSWORD = "s3cret-of-users"


class Servers:
    """Starts processes of redis-server in a folder, and ends them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._running: dict[int, subprocess.Popen[bytes]] = {}
        program = shutil.which("redis-server")
        if program is None or shutil.which("redis-cli") is None:
            if os.environ.get("CI") == "true":
                pytest.fail("no redis-server and redis-cli: apt-get install redis-server")
            pytest.skip("no redis-server and redis-cli on the PATH")
        self._program = program

    def start(self, *options: str, port: int = 0) -> int:
        """Start a server in a folder of its own and return its port."""
        port = port or free_port()
        own = self.folder / str(port)
        own.mkdir(exist_ok=True)
        places = () if "--port" in options else ("--port", str(port))
        with (own / "log").open("ab") as log:
            self._running[port] = subprocess.Popen(
                [self._program, *options, *places, "--bind", "127.0.0.1"],
                cwd=own,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        assert become(lambda: accepts(port)), (own / "log").read_text()
        return port

    def kill(self, port: int) -> None:
        """Kill a server as kill -9 does."""
        self.signal(port, signal.SIGKILL)
        self._running.pop(port).wait()

    def signal(self, port: int, number: signal.Signals) -> None:
        """Send a signal to a server."""
        self._running[port].send_signal(number)

    def end(self) -> None:
        """End all that are left, and keep the logs of all."""
        for process in self._running.values():
            process.kill()
            process.wait()
        keep_logs(self.folder)


class SentinelDeployment:
    """A primary, a replica, and three sentinels that agree after half a second."""

    def __init__(self, servers: Servers, *, options: tuple[str, ...] = ()) -> None:
        self.servers = servers
        self.primary = servers.start("--save", "", *options)
        self.replica = servers.start(
            *("--save", "", "--replicaof", "127.0.0.1", str(self.primary)),
            *("--repl-diskless-sync-delay", "0", *options),
        )
        assert become(lambda: self._link() == "up")
        self.sentinels = [self._sentinel() for _ in range(3)]
        assert become(lambda: all(map(self._knows_others, self.sentinels)), 20)
        hosts = ",".join(f"127.0.0.1:{port}" for port in self.sentinels)
        self.url = f"redis+sentinel://{hosts}/mymaster/0"

    def _link(self) -> str:
        with Redis(port=self.replica) as admin:
            return admin.info("replication")["master_link_status"]

    def _sentinel(self) -> int:
        port = free_port()
        own = self.servers.folder / str(port)
        own.mkdir()
        (own / "sentinel.conf").write_text(
            f"port {port}\n"
            f"sentinel monitor mymaster 127.0.0.1 {self.primary} 2\n"
            "sentinel down-after-milliseconds mymaster 500\n"
            "sentinel failover-timeout mymaster 5000\n"
        )
        return self.servers.start(str(own / "sentinel.conf"), "--sentinel", port=port)

    @staticmethod
    def _knows_others(port: int) -> bool:
        with Redis(port=port) as admin:
            state = admin.sentinel_master("mymaster")
            return state["num-other-sentinels"] == 2 and state["num-slaves"] == 1

    def named_primary(self) -> int:
        """The port that the sentinels name now."""
        with Redis(port=self.sentinels[0]) as admin:
            return int(admin.sentinel_get_master_addr_by_name("mymaster")[1])


class ClusterDeployment:
    """A cluster of three nodes, each with as many replicas as asked for."""

    def __init__(
        self, servers: Servers, *, replicas: int = 0, options: tuple[str, ...] = ()
    ) -> None:
        self.servers = servers
        cluster = ("--cluster-enabled", "yes", "--cluster-node-timeout", "1500", "--save", "")
        self.nodes = [
            servers.start(*cluster, *options, port=_low_port()) for _ in range(3 * (replicas + 1))
        ]
        subprocess.run(
            [
                *("redis-cli", "--cluster", "create"),
                *(f"127.0.0.1:{port}" for port in self.nodes),
                *("--cluster-replicas", str(replicas), "--cluster-yes"),
            ],
            check=True,
            timeout=60,
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
        assert become(lambda: all(map(self._is_up, self.nodes)), 30)
        self.url = f"redis+cluster://127.0.0.1:{self.nodes[0]},127.0.0.1:{self.nodes[1]}"

    def _is_up(self, port: int) -> bool:
        with Redis(port=port) as admin:
            replication = admin.info("replication")
            is_linked = replication["role"] == "master" or (
                replication["master_link_status"] == "up"
            )
            return is_linked and admin.execute_command("CLUSTER INFO")["cluster_state"] == "ok"

    def primaries(self) -> list[int]:
        """The ports of the nodes that have slots."""
        found = []
        for port in self.nodes:
            if accepts(port):
                with Redis(port=port) as admin:
                    if admin.info("replication")["role"] == "master":
                        found.append(port)
        return found


def wait_for_replica(primary: int) -> None:
    """Return once a replica has all that its primary has."""

    def is_passed_on() -> bool:
        with Redis(port=primary) as admin:
            told = admin.info("replication")
        return told["slave0"]["offset"] >= told["master_repl_offset"]

    assert eventually(is_passed_on)


def _low_port() -> int:
    """A free port that leaves room for that of the cluster's bus, which is 10,000 above it."""
    while True:
        port = random.randrange(12_000, 22_000)
        if not accepts(port) and not accepts(port + 10_000):
            return port


class Authority:
    """An authority of one's own, and the files of a server's and a client's certificate."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "an own authority")])
        self.file = folder / "ca.pem"
        own = self._builder(self._name, self._key).add_extension(
            x509.BasicConstraints(ca=True, path_length=None), critical=True
        )
        self.file.write_bytes(_pem(own.sign(self._key, hashes.SHA256())))

    def certificate(self, name: str) -> tuple[Path, Path]:
        """The files of a new certificate for 127.0.0.1 and of its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        here = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
        signed = (
            self._builder(subject, key)
            .add_extension(here, critical=False)
            .sign(self._key, hashes.SHA256())
        )
        files = self._folder / f"{name}.pem", self._folder / f"{name}.key"
        files[0].write_bytes(_pem(signed))
        files[1].write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        return files

    def options(self, *, wants_client: bool = False) -> tuple[str, ...]:
        """Options of a server that speaks TLS alone; add ``--tls-port`` with its port."""
        certificate, key = self.certificate("server")
        return (
            *("--tls-cert-file", str(certificate), "--tls-key-file", str(key)),
            *("--tls-ca-cert-file", str(self.file)),
            *("--tls-auth-clients", "yes" if wants_client else "no", "--port", "0"),
        )

    def _builder(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey
    ) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(hours=1))
            .not_valid_after(now + timedelta(days=1))
        )


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Servers]:
    """Give a starter of servers, which ends with the test."""
    started = Servers(tmp_path)
    yield started
    started.end()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClusterDeployment]:
    """Give a cluster of three nodes without replicas."""
    started = Servers(tmp_path_factory.mktemp("cluster"))
    try:
        yield ClusterDeployment(started)
    finally:
        started.end()


def eventually(condition, wait_s: float = 20.0) -> bool:
    """Return whether ``condition`` came true without an error in time."""
    until = time.monotonic() + wait_s
    while time.monotonic() < until:
        try:
            if condition():
                return True
        except Exception:  # noqa: BLE001 - a server that is not there yet
            pass
        time.sleep(0.05)
    return False
