"""Redis URLs: the allowed forms, and how to show one without its password."""

import re
import shlex
from urllib.parse import parse_qsl, unquote, urlsplit

from ipuaro_jupyter.errors import StorageError

_SCHEMES = ("redis", "rediss", "unix")
_ALLOWED = (
    "allowed are redis://[user:password@]host[:port][/db], rediss://… for TLS and "
    "unix:///path/to/socket[?db=0]; special characters of a password are percent-encoded"
)
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


def check(url: str) -> None:
    """Raise StorageError unless a store can be opened with ``url``.

    Raises:
        StorageError: The URL is not usable; the message says what is allowed, and shows no
            password.
    """
    try:
        parts = urlsplit(url)
        port_ok = parts.port != 0
        (parts.hostname or "").encode("idna")
    except ValueError:  # its text may quote a part of the password
        raise StorageError(_refusal(url)) from None
    database = parts.path.strip("/")
    if parts.scheme == "unix":
        usable = len(parts.path) > 1
    else:
        usable = parts.scheme in _SCHEMES and port_ok and (not database or database.isdecimal())
    if not usable or not url.startswith(f"{parts.scheme}://"):
        raise StorageError(_refusal(url))
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if name not in _OPTIONS or (name in _TIMEOUTS and not _is_timeout(value)):
            raise StorageError(option_refusal(url))


def option_refusal(url: str) -> str:
    """The message for a URL whose options cannot be used; it names the allowed ones."""
    return (
        f"redis.url has an option that cannot be used: {masked(url)!r}; allowed are "
        f"{', '.join(sorted(_OPTIONS))} (timeouts in seconds, above 0 and at most "
        f"{_LONGEST_TIMEOUT_S}; ssl_… with rediss:// only); special characters of a password "
        "are percent-encoded"
    )


def ping_command(url: str) -> str:
    """The shell command that tests whether the server at ``url`` responds."""
    if url.startswith("unix://"):
        return f"redis-cli -s {shlex.quote(unquote(urlsplit(url).path))} ping"
    return f"redis-cli -u {shlex.quote(masked(url))} ping"


def _is_timeout(value: str) -> bool:
    try:
        return 0 < float(value) <= _LONGEST_TIMEOUT_S
    except ValueError:
        return False


def _refusal(url: str) -> str:
    return f"redis.url is no usable address: {masked(url)!r}; {_ALLOWED}"
