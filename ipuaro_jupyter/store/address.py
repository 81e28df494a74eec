"""Redis URLs: the allowed forms, and how to show one without its password.

``redis+sentinel://`` and ``redis+cluster://`` are customary among clients, not registered: the
sentinels or some nodes with commas between them, then the name of the service and the database.
"""

import re
import shlex
from typing import Literal, NamedTuple
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from ipuaro_jupyter.errors import StorageError

_SCHEMES = ("redis", "rediss", "unix")
_ALLOWED = (
    "allowed are redis://[user:password@]host[:port][/db], rediss://… for TLS, "
    "redis+sentinel://[user:password@]host[:port],…/service[/db], "
    "redis+cluster://[user:password@]host[:port],…, both also with rediss+, and "
    "unix:///path/to/socket[?db=0]; special characters of a password are percent-encoded"
)
_SEVERAL = re.compile(
    r"(?P<scheme>rediss?)\+(?P<kind>sentinel|cluster)://(?P<login>[^/?#]*@)?(?P<hosts>[^/?#@]*)"
    r"(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?"
)
_SERVICE = re.compile(r"/(?P<service>[^/]+)(?:/(?P<db>\d*))?")
_PORTS = {"sentinel": 26379, "cluster": 6379}
_OF_SENTINELS = {"sentinel_username": "username", "sentinel_password": "password"}
_TIMEOUTS = frozenset({"socket_timeout", "socket_connect_timeout"})
_OPTIONS = _TIMEOUTS | {
    "client_name",
    "db",
    "password",
    "socket_keepalive",
    "ssl_ca_certs",
    "ssl_cert_reqs",
    "ssl_certfile",
    "ssl_check_hostname",
    "ssl_keyfile",
    "ssl_password",
    "username",
}
_LONGEST_TIMEOUT_S = 3600


def masked(url: str) -> str:
    """``url`` with the password replaced by ``***``; works for malformed ones too.

    An ``@`` after the host counts as part of the password: in doubt more is hidden.
    """
    scheme = re.match(r"[A-Za-z][A-Za-z0-9+.-]*:/{1,2}", url)
    start = scheme.end() if scheme else 0
    head, rest = url[:start], url[start:]
    userinfo, at, host = rest.rpartition("@")
    is_path = rest.startswith("/") and head in {"", "unix://"}
    if at and not is_path:
        if "password=" in userinfo.lower():  # the last @ may be in the middle of it
            return f"{head}***"
        user = re.match(r"[\w.~%+-]*:", userinfo)
        head, rest = f"{head}{user.group() if user else ''}***@", host
    place, mark, query = rest.partition("?")
    query = re.sub(r"(?i)((?:^|&)[^=&]*password=)[^&]*", r"\1***", query)
    return head + place + mark + query


class Address(NamedTuple):
    """A URL in parts.

    Attributes:
        kind: What the hosts are: the server itself, sentinels or some nodes of a cluster.
        url: A URL of one server, from which redis-py reads the options of connections.
        hosts: The hosts with their ports; none for a single server.
        service: The name by which sentinels know the primary.
        login: The user name and password for the sentinels themselves.
    """

    kind: Literal["server", "sentinel", "cluster"]
    url: str
    hosts: tuple[tuple[str, int], ...] = ()
    service: str = ""
    login: tuple[tuple[str, str], ...] = ()


def parsed(url: str) -> Address:
    """The parts of a URL with which a store can be opened.

    Raises:
        StorageError: The URL is not usable; the message says what is allowed, and shows no
            password.
    """
    if not re.match(r"rediss?\+", url):
        _check_one(url, url)
        return Address("server", url)
    several = _SEVERAL.fullmatch(url)
    path = several["path"] if several else ""
    is_cluster = several is not None and several["kind"] == "cluster"
    named = _SERVICE.fullmatch(path)
    if several is None or not (path in {"", "/", "/0"} if is_cluster else named):
        raise StorageError(_refusal(url))
    options = parse_qsl(several["query"] or "", keep_blank_values=True)
    if is_cluster and dict(options).get("db", "0") != "0":
        raise StorageError(_refusal(url))
    login = () if is_cluster else tuple(o for o in options if o[0] in _OF_SENTINELS)
    kept = urlencode([option for option in options if option not in login])
    database = (named["db"] if named else "") or ""
    hosts = several["hosts"].split(",")
    ones = [
        f"{several['scheme']}://{several['login'] or ''}{host}/{database}{'?' * bool(kept)}{kept}"
        for host in hosts
    ]
    for host, one in zip(hosts, ones, strict=True):
        _check_one(one if host else "", url)
    kind: Literal["sentinel", "cluster"] = "cluster" if is_cluster else "sentinel"
    return Address(
        kind,
        ones[0],
        tuple(_host(host, _PORTS[kind]) for host in hosts),
        unquote(named["service"]) if named and not is_cluster else "",
        tuple((_OF_SENTINELS[name], value) for name, value in login),
    )


def _host(text: str, port: int) -> tuple[str, int]:
    parts = urlsplit(f"redis://{text}")
    return parts.hostname or "localhost", parts.port or port


def _check_one(url: str, shown: str) -> None:
    """Raise StorageError unless one server can be reached with ``url``.

    Args:
        url: The URL of one server.
        shown: What the user has written, for the message.

    Raises:
        StorageError: The URL is not usable.
    """
    try:
        parts = urlsplit(url)
        port_ok = parts.port != 0
        (parts.hostname or "").encode("idna")
    except ValueError:  # its text may quote a part of the password
        raise StorageError(_refusal(shown)) from None
    database = parts.path.strip("/")
    if parts.scheme == "unix":
        usable = len(parts.path) > 1
    else:
        usable = parts.scheme in _SCHEMES and port_ok and (not database or database.isdecimal())
    if not usable or not url.startswith(f"{parts.scheme}://"):
        raise StorageError(_refusal(shown))
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if name not in _OPTIONS or (name in _TIMEOUTS and not _is_timeout(value)):
            raise StorageError(option_refusal(shown))


def option_refusal(url: str) -> str:
    """The message for a URL whose options cannot be used; it names the allowed ones."""
    return (
        f"redis.url has an option that cannot be used: {masked(url)!r}; allowed are "
        f"{', '.join(sorted(_OPTIONS))}, with sentinels also {' and '.join(_OF_SENTINELS)} "
        f"(timeouts in seconds, above 0 and at most "
        f"{_LONGEST_TIMEOUT_S}; ssl_… with rediss only); special characters of a password "
        "are percent-encoded"
    )


def ping_command(url: str) -> str:
    """The shell command that tests whether the server, sentinel or node at ``url`` responds."""
    if url.startswith("unix://"):
        return f"redis-cli -s {shlex.quote(unquote(urlsplit(url).path))} ping"
    several = _SEVERAL.fullmatch(url)
    if several is None:
        return f"redis-cli -u {shlex.quote(masked(url))} ping"
    host, port = _host(several["hosts"].partition(",")[0], _PORTS[several["kind"]])
    asked = "cluster info"
    if several["kind"] == "sentinel":
        service = several["path"].strip("/").partition("/")[0]
        asked = f"sentinel get-master-addr-by-name {shlex.quote(unquote(service))}"
    return f"redis-cli {'--tls ' * (several['scheme'] == 'rediss')}-h {host} -p {port} {asked}"


def _is_timeout(value: str) -> bool:
    try:
        return 0 < float(value) <= _LONGEST_TIMEOUT_S
    except ValueError:
        return False


def _refusal(url: str) -> str:
    return f"redis.url is no usable address: {masked(url)!r}; {_ALLOWED}"
