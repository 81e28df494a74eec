"""TLS with an authority of one's own: verified unless the URL says otherwise."""

from pathlib import Path

import pytest
from deployments import Authority, Servers
from servers import free_port

from ipuaro_jupyter.errors import StorageError
from ipuaro_jupyter.store.connection import StoreSettings, connect


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    folder = tmp_path / "certificates"
    folder.mkdir()
    return Authority(folder)


@pytest.fixture
def start(servers: Servers, authority: Authority):
    """Return a function that starts a server which speaks TLS alone, and gives its port."""

    def start_tls(*, wants_client: bool = False) -> int:
        port = free_port()
        options = authority.options(wants_client=wants_client)
        return servers.start(*options, "--tls-port", str(port), "--save", "", port=port)

    return start_tls


def used(url: str) -> bytes | None:
    store = connect(StoreSettings(url=url))
    try:
        store.set("a", b"1")
        return store.get("a")
    finally:
        store.close()


def test_a_named_authority_is_trusted(start, authority) -> None:
    assert used(f"rediss://127.0.0.1:{start()}?ssl_ca_certs={authority.file}") == b"1"


def test_an_unknown_authority_is_not_trusted(start) -> None:
    with pytest.raises(StorageError, match=r"not trusted here: .*\?ssl_ca_certs="):
        used(f"rediss://127.0.0.1:{start()}")


def test_a_certificate_for_another_host_is_not_trusted(start, authority) -> None:
    with pytest.raises(StorageError, match="and the host as the certificate does"):
        used(f"rediss://localhost:{start()}?ssl_ca_certs={authority.file}")


def test_a_certificate_of_the_client_is_sent(start, authority) -> None:
    port = start(wants_client=True)
    url = f"rediss://127.0.0.1:{port}?ssl_ca_certs={authority.file}"
    with pytest.raises(StorageError, match="want a certificate of yours"):
        used(url)
    certificate, key = authority.certificate("client")
    assert used(f"{url}&ssl_certfile={certificate}&ssl_keyfile={key}") == b"1"


def test_tls_with_a_server_without_it_is_told(servers: Servers) -> None:
    with pytest.raises(StorageError, match="Does it speak TLS on this port"):
        used(f"rediss://127.0.0.1:{servers.start('--save', '')}?socket_connect_timeout=0.5")


def test_no_tls_with_a_server_that_wants_it_is_told(start) -> None:
    with pytest.raises(StorageError, match="If it wants TLS, write rediss"):
        used(f"redis://127.0.0.1:{start()}")


def test_a_file_that_is_missing_is_told(start, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"No such file|no certificate"):
        used(f"rediss://127.0.0.1:{start()}?ssl_ca_certs={tmp_path}/none.pem")
