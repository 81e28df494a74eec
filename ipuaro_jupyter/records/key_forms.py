"""What keys, tokens and passwords look like: the forms in ``key_forms.toml``."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files

_WORDS_IN_PASS = frozenset(
    {"by", "com", "encom", "sur", "tres", "over", "under", "multi", "render", "single", "low"}
    | {"high", "band"}
)


@dataclass(frozen=True)
class KeyForm:
    """One form; see the head of ``key_forms.toml``.

    Attributes:
        kind: The kind of secret.
        has: Texts of which one is in every text that holds such a secret.
        finds: Finds it; its group "secret" is the secret, or else all of it.
        looks: What the secret has to look like, as the form alone does not tell: "secret",
            "login" or "value"; "" when it tells enough.
    """

    kind: str
    has: tuple[str, ...]
    finds: str
    looks: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """``finds``, compiled when a text may first hold such a secret."""
        return re.compile(self.finds)

    def is_in(self, text: str) -> bool:
        """Whether a text may hold such a secret."""
        return any(literal in text for literal in self.has)


@cache
def key_forms() -> tuple[KeyForm, ...]:
    """All forms."""
    data = files("ipuaro_jupyter.records").joinpath("key_forms.toml").read_text(encoding="utf-8")
    return tuple(
        KeyForm(form["kind"], tuple(form["has"]), form["pattern"], form.get("looks", ""))
        for form in tomllib.loads(data)["form"]
    )


def ends_in_pass(word: str) -> bool:
    """Whether a word of a name means a password as "pass" and "DBPASS" do, unlike "bypass"."""
    lower = word.lower()
    return lower.endswith("pass") and lower.removesuffix("pass") not in _WORDS_IN_PASS


def holds_key(text: str) -> bool:
    """Whether a text holds a key of a well-known form."""
    return any(
        form.pattern.search(text) for form in key_forms() if not form.looks and form.is_in(text)
    )
