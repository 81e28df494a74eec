"""The spellings of a name in Vue: ``my-thing``, ``myThing``, ``MyThing``."""

import re

_PARTS = re.compile(r"[A-Za-z0-9_$]+")


def camel(name: bytes) -> bytes:
    """The name without hyphens: "my-thing" is "myThing"."""
    return re.sub(rb"-(\w)", lambda match: match[1].upper(), name)


def pascal(name: bytes) -> bytes:
    """The same with an initial capital: "MyThing"."""
    found = camel(name)
    return found[:1].upper() + found[1:]


def kebab(name: bytes) -> bytes:
    """The name with hyphens: "MyThing" is "my-thing"."""
    return re.sub(rb"(?<=[a-z\d])(?=[A-Z])", b"-", name).lower()


def component_name(path: str) -> str:
    """The name of a component, from that of its file; "" where that is none."""
    stem = path.rpartition("/")[2].rpartition(".")[0]
    words = _PARTS.findall(stem)
    name = "".join(word[:1].upper() + word[1:] for word in words)
    return name if name.isidentifier() and stem[:1].isalpha() else ""
