"""Whether a value is a secret, by its name and by its form."""

import base64
import math
import re
from collections import Counter
from itertools import pairwise
from typing import NamedTuple

from ipuaro_jupyter.agent.redaction.wording import is_label
from ipuaro_jupyter.records.key_forms import ends_in_pass


class Secret(NamedTuple):
    """A secret in a text: its place, end excluded, and its kind."""

    start: int
    end: int
    kind: str


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_JOINED_PASSWORDS = (
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "bindpw",
    "rootpw",
    "psk",
)
_SECRETS = {"secret", "token", "credential", "credentials", "auth"}
_JOINED = {"apikey", "accesskey", "privatekey", "secretkey", "authtoken", "accesstoken", "authkey"}
_JOINED |= {"appkey", "refreshtoken", "identitytoken", "sessiontoken", "bearertoken", "apitoken"}
_KEY_OF = {
    *("api", "access", "secret", "private", "signing", "encryption", "auth", "account", "service"),
    *("master", "shared", "webhook", "deploy", "subscription", "functions", "app", "application"),
}
_AFTER = {
    *("prod", "production", "dev", "development", "staging", "live", "old", "new", "local"),
    *("value", "base", "b", "default", "backup"),
}
_NO_SECRET_OF = {
    *("page", "next", "prev", "cursor", "continuation", "sync", "eof", "eos", "bos", "pad", "cls"),
    *("sep", "unk", "mask", "stop", "start", "end", "kind", "syntax", "lexer", "parser", "design"),
}
_PUBLIC = {"public", "publishable", "pub", "anon", "site"}
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_PLAIN_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)*[!?]?")
_NO_VALUE = re.compile(
    r"[\W_]*|x+|(?:required|nullable|sometimes|string|confirmed|bail)\|.*"
    r"|(?:the|your|my|some|insert|enter|replace|put|add)[-_ ].*|.*[-_ ]here"
    r"|(?:.{0,20}[-_. ])?(?:password|passw0rd|secret|token|key|string|value)\d{0,3}"
    r"|change[-_ ]?(?:me|this).{0,8}|foo(?:bar)?|bar|none|null|nil|undefined|true|false|todo|tbd"
    r"|hidden|masked|removed|postgres|mysql|root|admin|administrator|user|guest|default|required"
    r"|optional|bearer|basic|<.*>|\[.*\]|\{.*\}|-",
    re.IGNORECASE | re.DOTALL,
)
_EXAMPLE = re.compile(
    r"example|dummy|sample|placeholder|fake|redacted|mock|\*\*\*|xxxx|\.\.\.|…", re.IGNORECASE
)
_REFERENCE = re.compile(
    r"\$|%[({sdA-Z]|\{\{|<%|process\.|os\.|env[.(:]|ENC\[|arn:|vault:|file:|secret:|op://|https?://"
    r"|~?/|\.{1,2}/|@"
)
_INNER = re.compile(r"\$\{|\{[A-Za-z_{]|%\(|#\{|<%")
_INTERLEAVED = re.compile(r"(?<=[A-Za-z])\d+(?=[A-Za-z])")
_SPECIAL = re.compile(r"[!#$%^&*+?~=|]")
_CONSTANT = re.compile(r"[A-Z]{2,20}(?:_(?:[A-Z]{1,20}\d{0,3}|\d{1,4})){1,8}")
_SHORT_PASSWORD, _ENV_PASSWORD, _ENV_SECRET, _SHORT_SECRET, _LONG_SECRET = 6, 4, 7, 12, 20
_ENTROPY = 2.9  # bits for each character
_ALTERNATING, _MANY_DIGITS, _RANDOM = 3, 3, 8
_READ = 120  # characters of a value that are checked for a placeholder
_OPTIONS = re.compile(r"[a-z]{2,12}[-_]?\d{1,3}[a-z]{0,3}")


def kind_of(name: str) -> str:
    """The kind of secret a name suggests: "password", "token", "secret"; "" for none."""
    words = [word.lower() for word in _WORD.findall(name.rpartition(".")[2].lstrip("-"))]
    while words and words[-1] in _AFTER:
        words.pop()
    if not words or _NO_SECRET_OF & set(words):
        return ""
    last = words[-1]
    if last.endswith(_JOINED_PASSWORDS) or (ends_in_pass(last) and (last != "pass" or words[1:])):
        return "password"
    if last == "token" and not name.startswith("_"):
        return "token"
    if last in _SECRETS and (last != "auth" or name.startswith("_")):
        return "secret"
    is_key = last == "key" and len(words) > 1 and words[-2] in _KEY_OF
    return "secret" if is_key or last in _JOINED else ""


def env_kind_of(name: str) -> str:
    """The same for a name in a ``.env`` file, where each key but a public one is secret."""
    if kind := kind_of(name):
        return kind
    words = [word.lower() for word in _WORD.findall(name)]
    while words and words[-1] in _AFTER:
        words.pop()
    if not words or _PUBLIC & set(words):
        return ""
    if words == ["pass"]:
        return "password"
    is_named = words[-1] in _SECRETS - {"token"} or words[-1].endswith("key")
    return "secret" if is_named else ""


def is_secret(value: str, kind: str, *, phrase: bool = False) -> bool:
    """Whether a value looks like the kind its name suggests; ``phrase`` allows blanks."""
    if is_placeholder_value(value) or _is_constant(value, kind) or is_label(value):
        return False
    if any(c.isspace() for c in value):
        return phrase and len(value) >= _SHORT_SECRET
    digits, letters = any(c.isdigit() for c in value), any(c.isalpha() for c in value)
    special = _SPECIAL.search(value) is not None
    if kind == "password":
        short = len(value) < _SHORT_PASSWORD
        return not short and (special or (letters and (digits or _alternates(value))))
    if not letters or len(value) < _SHORT_SECRET or _OPTIONS.fullmatch(value):
        return False
    if kind == "token" and _UUID.fullmatch(value):
        return False
    return _entropy(value) >= _ENTROPY and (digits or _alternates(value))


def is_env_value(value: str, kind: str) -> bool:
    """Whether a value is a secret in a line of ``.env``, which contains no code."""
    if kind == "password":
        return not is_placeholder_value(value) and not value.isdigit()
    if is_secret(value, kind):
        return True
    if not _ENV_SECRET <= len(value) < _SHORT_SECRET or is_placeholder_value(value):
        return False
    mixed = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    return mixed and (value.isalnum() or _SPECIAL.search(value) is not None)


def is_login(value: str) -> bool:
    """Whether a value is a user's name and password in base64, as in ``Basic`` and by docker."""
    try:
        login = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode()
    except ValueError:
        return False
    name, _, password = login.partition(":")
    return bool(name) and login.isprintable() and not is_placeholder_value(password)


def is_code(value: str, *, lone: bool = False) -> bool:
    """Whether a bare word is a name rather than a secret.

    Args:
        value: The word.
        lone: Whether the line consists of a name and the word only, as in YAML.
    """
    if not _PLAIN_NAME.fullmatch(value):
        return False
    if "." in value:
        return True
    inner, digits = len(_INTERLEAVED.findall(value)), sum(c.isdigit() for c in value)
    if lone and value[0].islower() and digits:
        return not (inner or value[-1].isdigit())
    if lone and inner and len(value) >= _RANDOM and _turns(value) * _ALTERNATING > len(value):
        return False
    return not (len(value) >= _LONG_SECRET and digits >= _MANY_DIGITS and inner > 1)


def is_placeholder_value(value: str) -> bool:
    """Whether a value only stands for one that is elsewhere, or still to be filled in."""
    head = value[:_READ]
    return (
        len(value) < _ENV_PASSWORD
        or len(set(value)) == 1
        or _NO_VALUE.fullmatch(head) is not None
        or _EXAMPLE.search(head) is not None
        or _REFERENCE.match(value) is not None
        or _INNER.search(head) is not None
    )


def _is_constant(value: str, kind: str) -> bool:
    """Whether a value names a constant, like ``TOKEN_EXPIRED_401``; a password has two words."""
    words = [word for word in value.split("_") if word.isalpha()]
    return _CONSTANT.fullmatch(value) is not None and (kind != "password" or len(words) > 1)


def _alternates(value: str) -> bool:
    """Whether cases alternate as in random letters, rather than in ``camelCase``."""
    return len(value) >= _SHORT_SECRET and _turns(value) * _ALTERNATING >= len(value)


def _turns(value: str) -> int:
    """How often an upper-case letter follows what is none, or the other way round."""
    return sum(a.isupper() != b.isupper() for a, b in pairwise(value))


def _entropy(value: str) -> float:
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())
