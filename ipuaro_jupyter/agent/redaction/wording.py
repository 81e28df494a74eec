"""Whether a value is human-readable text, or a secret that consists of words."""

import re

_SENTENCE_END = (".", "?", "!", "…", ":", ",")
_CODE = re.compile(r"[(){}\[\]<>|=;]")
_SPEAKS_OF_ITSELF = re.compile(
    r"pass(?:w|phrase|code)|kennwort|contrase|senha|mot de passe|wachtwoord|парол|secret|token"
    r"|redacted|\b(?:api|key|required|must|invalid|characters|enter|forgot(?:ten)?|wrong|incorrect"
    r"|missing|again|confirm|change|reset|chars?|digits|letters|least|most|min|max|match(?:es)?"
    r"|please|not|is|are|was|cannot|type|your|too|here|optional)\b",
    re.IGNORECASE,
)
_LABEL = re.compile(r"[^\W\d_]+[?!.…:*]{1,3}")
_SPECIAL = re.compile(r"[!#$%^&*+?~=|]")
_SHORTEST, _LONGEST, _FEW_WORDS = 8, 128, 3
_LONG, _MANY_DIGITS = 20, 3


def is_passphrase(value: str) -> bool:
    """Whether a value with blanks is a secret rather than a sentence or a label.

    It is not one when it ends like a sentence; when a capitalized word is followed by lower-case
    ones, as in "Enter it twice"; when it is about passwords, or about what is required; when it is
    all capitals, or has brackets. Two words are too few without a digit or a sign.
    """
    words = value.split()
    if not _SHORTEST <= len(value) <= _LONGEST or value.isupper() or value.endswith(_SENTENCE_END):
        return False
    if words[0].istitle() and any(word.islower() for word in words[1:]):
        return False
    if _CODE.search(value) or _SPEAKS_OF_ITSELF.search(value):
        return False
    odd = any(c.isdigit() for c in value) or _SPECIAL.search(value)
    return len(words) >= _FEW_WORDS or (len(words) > 1 and bool(odd))


def is_label(value: str) -> bool:
    """Whether a value is one capitalized word with a sign after it: ``Passwort?``, ``PIN*``."""
    return value[:1].isupper() and _LABEL.fullmatch(value) is not None


def is_random_text(value: str) -> bool:
    """Whether a value is a secret even among user-visible texts: random, with signs."""
    core = value.rstrip("?!.…:*")
    if any(c.isspace() for c in core):
        return False
    digits = sum(c.isdigit() for c in core)
    if not digits or not any(c.isalpha() for c in core):
        return False
    return _SPECIAL.search(core) is not None or (len(core) >= _LONG and digits >= _MANY_DIGITS)
