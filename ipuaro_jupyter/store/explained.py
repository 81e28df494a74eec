"""What errors of redis-py mean for the user, in a sentence with the remedy."""

import re
from collections.abc import Sequence

from redis.exceptions import (
    AuthenticationError,
    BusyLoadingError,
    ClusterDownError,
    MovedError,
    NoPermissionError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisClusterException,
    ResponseError,
)
from redis.sentinel import MasterNotFoundError

from ipuaro_jupyter.store.routes import UNSURE, Command, key_of

OTHER_TYPE = "WRONGTYPE"
"""Begins the server's words about a key that holds a value of another type than ours."""
_NO_NUMBER = "hash value is not an integer"
_LONGEST_TEXT = 300
_EXPLAINED: tuple[tuple[type[Exception], str], ...] = (
    (AuthenticationError, "wants a user name or password, or other ones: put them into redis.url"),
    (BusyLoadingError, "is still loading its data: try again in a moment"),
    (ReadOnlyError, "is a read-only replica: name its primary in redis.url"),
    (OutOfMemoryError, "is out of memory: free some, or raise maxmemory on that server"),
    (MovedError, "is one node of a cluster: write redis+cluster:// instead of redis://"),
    (ClusterDownError, "is a cluster with slots that no node serves: see `redis-cli cluster info`"),
)
_FULL = (
    "is full: it keeps what it has, and takes no more than redis.maxMemoryMb allows. Delete "
    "projects that you do not need with `ipuaro forget PATH` (`ipuaro forget` lists them with "
    "their sizes), or raise that setting, or ask whoever runs this machine to do so"
)
_BY_TEXT = (
    ("MISCONF", "cannot write its data to disk: free some space there"),
    ("NOREPLICAS", "has too few replicas that keep up (min-replicas-to-write): nothing was kept"),
    (
        "CERTIFICATE_VERIFY_FAILED",
        (
            "has a certificate that is not trusted here: name the file of its authority in "
            "redis.url, ?ssl_ca_certs=/path/to/ca.pem, and the host as the certificate does"
        ),
    ),
    ("Cluster mode is not enabled", "is no cluster: write redis:// instead of redis+cluster://"),
)
_IN_SCRIPT = "The user executing the script can't"
_RUN = re.compile(r"run the '([\w|]+)' command")
_IN_PIPELINE = re.compile(r"Command # (\d+) \(.*\) of pipeline caused error: ", re.DOTALL)
_CALLED = re.compile(r"redis\.p?call\('(\w+)'")


def explained(error: Exception, name: str, remedy: str, commands: Sequence[Command]) -> str:
    """What went wrong, and what to do.

    Args:
        error: As redis-py raised it.
        name: The server's name.
        remedy: What to do when it does not respond.
        commands: Those that were sent.
    """
    error = _cause(error)
    text = server_words(error)[:_LONGEST_TEXT]
    unsure = f" {UNSURE}" if UNSURE in getattr(error, "__notes__", ()) else ""
    if isinstance(error, NoPermissionError) or _IN_SCRIPT in text:
        return f"{name} does not let this user do that: {_forbidden(error, commands)}"
    for kind, explanation in _EXPLAINED:
        if isinstance(error, kind):
            is_ours = kind is OutOfMemoryError and name.startswith("The embedded")
            return f"{name} {_FULL if is_ours else explanation} ({text}){unsure}"
    if isinstance(error, MasterNotFoundError):
        # What follows the colon are the sentinels that do not respond, in redis-py's own form.
        told = "the sentinels do not respond, or name" if " : " in text else "the sentinels name"
        return f"{name} has no primary: {told} none for this service. {remedy}"
    for mark, explanation in _BY_TEXT:
        if mark in text:
            return f"{name} {explanation} ({text}){unsure}"
    if isinstance(error, ResponseError):
        return f"{name} {_refused(error, text, commands)}"
    said = str(text or type(error).__name__).rstrip(".")
    return f"{name} does not answer: {said}.{unsure} {_tls_hint(name, text)}{remedy}"


def server_words(error: Exception) -> str:
    """The server's own words, without the command that redis-py puts before those of a batch."""
    return _IN_PIPELINE.sub("", str(error), count=1)


def _tls_hint(name: str, text: str) -> str:
    """What may be wrong when one side speaks TLS and the other does not."""
    if " rediss" in name:
        return (
            "Does it speak TLS on this port, and want a certificate of yours (?ssl_certfile=…"
            "&ssl_keyfile=…)? "
        )
    is_cut = "reset by peer" in text or "closed by server" in text
    return "If it wants TLS, write rediss instead of redis. " if is_cut else ""


def _cause(error: Exception) -> Exception:
    """What a node of a cluster said, when redis-py tells only that it can use none."""
    cause: BaseException | None = error
    while isinstance(cause, RedisClusterException):
        cause = cause.__cause__ or cause.__context__
    is_told = isinstance(cause, (AuthenticationError, NoPermissionError))
    return cause if is_told and isinstance(cause, Exception) else error


def _refused(error: Exception, text: str, commands: Sequence[Command]) -> str:
    """What the server does, of a key the value of which is not ours: that it holds such a value."""
    if OTHER_TYPE not in text and _NO_NUMBER not in text:
        return f"refused a command: {text}"
    found, place = _IN_PIPELINE.match(str(error)), ""
    if commands and (found or len(commands) == 1):
        command = commands[int(found[1]) - 1 if found else 0]
        place = "" if command[0] == "EVAL" else f" under {str(key_of(command))!r}"
    return (
        f"holds something else{place} than was written there: another program, or somebody, has "
        "changed it. Open the project and the session again: what was there begins anew."
    )


def _forbidden(error: Exception, commands: Sequence[Command]) -> str:
    """The right that a user lacks, and the remedy."""
    text = server_words(error)
    if re.search(r"access (?:the |one of the |a )?.*key", text):
        return (
            "it may not touch the keys of this package. Give it the pattern ~ipuaro:* "
            "(ACL SETUSER), or be another user"
        )
    if found := _RUN.search(text):
        right = found[1]
    else:
        place = _IN_PIPELINE.match(str(error))
        command = commands[int(place[1]) - 1 if place else 0] if commands else ("",)
        names = _CALLED.findall(str(command[1])) if command[0] == "EVAL" else [str(command[0])]
        right = " or ".join(dict.fromkeys(name.lower() for name in names))
    return f"it lacks the right to {right.upper()}. Give it that (ACL SETUSER), or be another user"
