"""Answers that were found before files were edited are those that would be found now."""

import random
from collections import Counter
from importlib.resources import files

import pytest

from ipuaro_jupyter.index.binding import frequent_uses
from ipuaro_jupyter.index.binding.answers import kept_answers
from ipuaro_jupyter.index.binding.answers.answers_on_server import AnswersOnServer
from ipuaro_jupyter.index.binding.reference_cache import ReferenceCache
from ipuaro_jupyter.index.binding.text_cache import TextCache

EDITS = 8
BOUND = {"most_bytes": 8_000_000}
PYTHON = {
    "py/core.py": "class Node:\n    def __init__(self, id):\n        self.id = id\n\n"
    "    def get(self, id):\n        return self.id or id\n\n\n"
    "def make(id):\n    return Node(id)\n",
    "py/app.py": "from .core import Node, make as made\n\n\ndef run(id):\n    node = made(id)\n"
    "    return node.get(node.id)\n",
    "py/more.py": "from . import core\n\nid = core.make(1).get(core.Node(2).id)\n",
    "py/__init__.py": "from .core import *\n",
}


def _sources() -> dict[str, str]:
    app = files("ipuaro_jupyter") / "demo" / "app" / "src"
    found = dict(PYTHON)
    for folder in app.iterdir():
        for file in folder.iterdir() if folder.is_dir() else ():
            if file.name.endswith(".ts"):
                found[f"src/{folder.name}/{file.name}"] = file.read_text()
    return found


def _edited(draw: random.Random, text: str, names: list[str]) -> str:
    """Return a text with another line, without one, or with another name in one."""
    lines = text.split("\n")
    at, name = draw.randrange(len(lines)), draw.choice(names)
    kind = draw.choice(["comment", "use", "member", "drop", "twice", "name", "name", "blank"])
    if kind in ("comment", "use", "member", "blank"):
        indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        new = {"comment": "", "use": name, "member": f"{name}.{draw.choice(names)}", "blank": ""}
        lines.insert(at, indent + new[kind])
    elif kind == "drop":
        del lines[at]
    elif kind == "twice":
        lines.insert(at, lines[at])
    else:
        words = [word for word in lines[at].replace("(", " ").split() if word.isidentifier()]
        lines[at] = lines[at].replace(draw.choice(words), name, 1) if words else lines[at]
    return "\n".join(lines)


@pytest.mark.parametrize("seed", range(3))
def test_what_was_found_before_edits_is_what_is_found_after_them(make_index, monkeypatch, seed):
    draw, sources = random.Random(seed), _sources()
    index, root = make_index(sources)
    monkeypatch.setattr(frequent_uses, "_FEWEST_USES", 4)
    monkeypatch.setattr(frequent_uses, "FIRST_USES", 12)
    monkeypatch.setattr(kept_answers, "_LONG_S", 0.0)
    names = frequent_uses.most_frequent(index._stored)
    declared = [
        (entry.qualified, index._sync.snapshot.paths[entry.number])
        for name in names[:20]
        for entry in index._stored.called([name]).get(name, ())
    ]
    questions = [
        *((name, None, 12, "") for name in names),
        *((name, "src/services", 5, "") for name in names[:10]),
        *((name, None, None, "") for name in names[:10]),
        *((qualified, None, 12, "") for qualified, _ in declared),
        *((qualified, None, 12, path) for qualified, path in declared if "." not in qualified),
    ]

    def asked(question):
        symbol, within, limit, path = question
        cache = ReferenceCache(index._stored, TextCache(root), **BOUND)
        with cache.at(index._sync.snapshot) as state:
            uses = state.uses(symbol, within, limit=limit, declared_in=path)
        return uses._replace(texts={}, contexts=None, extent=None)

    served, told = Counter(), AnswersOnServer.get

    def noted(*given):
        answer = told(*given)
        served[answer is not None] += 1
        return answer

    for _ in range(EDITS):
        frequent_uses.find(index._stored, root, **BOUND, whole_s=60.0)
        for question in questions:
            asked(question)
        for path in draw.sample(sorted(sources), draw.choice([1, 1, 2])):
            text = _edited(draw, (root / path).read_text(), [*names[:15], "brand_new"])
            (root / path).write_text(text)
        index.refresh()
        with monkeypatch.context() as patched:
            patched.setattr(AnswersOnServer, "get", noted)
            after = {question: asked(question) for question in questions}
            patched.setattr(AnswersOnServer, "get", lambda *_: None)
            patched.setattr(AnswersOnServer, "put", lambda *_: None)
            for question in questions:
                assert asked(question) == after[question], question
    assert served[True] > EDITS
