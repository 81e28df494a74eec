"""What a kernel keeps of its answers over edits is what one would find that knows of none."""

import os
import random
from importlib.resources import files
from pathlib import Path

import pytest

from ipuaro_jupyter.index.binding.references import ReferenceFinder

EDITS = 8
LISTED = 4
"""So few that most of what an answer depends on is not in the files that it opens."""
PYTHON = {
    "py/core.py": "class Node:\n    def __init__(self, id):\n        self.id = id\n\n"
    "    def get(self, id):\n        return self.id or id\n\n\n"
    "def make(id):\n    return Node(id)\n",
    "py/app.py": "from .core import Node, make as made\n\n\ndef run(id):\n    node = made(id)\n"
    "    return node.get(node.id)\n",
    "py/more.py": "from . import core\n\nid = core.make(1).get(core.Node(2).id)\n",
    "py/__init__.py": "from .core import *\n",
}
CONFIGS = {
    "tsconfig.json": [
        '{"compilerOptions": {"baseUrl": ".", "paths": {"~/*": ["src/*"]}}}\n',
        '{"compilerOptions": {"moduleDetection": "force"}, "extends": "./base.json"}\n',
        "{}\n",
    ],
    "base.json": ['{"compilerOptions": {"baseUrl": "src"}}\n', "{}\n"],
    "package.json": ['{"name": "app", "type": "module"}\n', '{"name": "app"}\n'],
    "src/package.json": ['{"name": "inner", "main": "services/a.ts"}\n', "{}\n"],
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


def _with_module_line(draw: random.Random, path: str, text: str, paths: list[str], name: str):
    """Return a text with another declaration, import or export of a name at its top or end."""
    other, local = draw.choice(paths), draw.choice(["", " as renamed"])
    if path.endswith(".py"):
        module = f".{other.rpartition('/')[2][:-3]}" if other.startswith("py/") else ".core"
        module = module.replace("__init__", "")
        lines = [f"def {name}():\n    return 1\n", f"class {name}:\n    {name} = 1\n"]
        lines += [f"from {module} import {name}{local}\n", f"from {module} import *\n"]
        return draw.choice([text + "{}", "{}" + text]).replace("{}", draw.choice(lines))
    module = os.path.relpath(other, Path(path).parent).rpartition(".")[0]
    module = draw.choice([module if module.startswith(".") else f"./{module}"] * 4 + [f"~/{name}"])
    lines = [
        *(f"export function {name}() {{}}\n", f"class {name} {{ {name}() {{}} }}\n"),
        f"declare global {{ interface {name} {{ {name}: string }} }}\n",
        f"declare module '{module}' {{ interface {name} {{ {name}: string }} }}\n",
        *(f"import {{ {name}{local} }} from '{module}'\n", f"import {name} from '{module}'\n"),
        *(f"import * as {name} from '{module}'\n", f"export * from '{module}'\n") * 2,
        *(f"export * as {name} from '{module}'\n", f"export {{ {name} as default }}\n"),
        f"export {{ {name}{local} }} from '{module}'\n",
        f"void import('{module}').then((it) => it.{name})\n",
    ]
    return draw.choice([text + "\n{}", "{}" + text]).replace("{}", draw.choice(lines))


def _edit(draw: random.Random, root: Path, names: list[str]) -> None:
    """Change, add or delete a file of the project."""
    files = (path for end in ("ts", "py") for path in root.rglob(f"*.{end}"))
    paths = sorted(path.relative_to(root).as_posix() for path in files)
    path, name = draw.choice(paths), draw.choice(names)
    kind = draw.choice([*["line"] * 4, *["module"] * 6, "add", "delete", "move", "config"])
    if kind == "config":
        path = draw.choice(sorted(CONFIGS))
        text = draw.choice([*CONFIGS[path], None])
    elif kind == "delete" and len(paths) > 5:
        text = None
    elif kind == "add":
        folder, _, end = path.rpartition("/")[0], *path.rpartition(".")[1:]
        path = f"{folder}/{draw.choice(['made', 'index', '__init__', name])}.{end}"
        text = _with_module_line(draw, path, "", paths, name)
    elif kind == "move":
        target = root / f"{path.rpartition('/')[0]}/{name}.{path.rpartition('.')[2]}"
        (root / path).rename(target)
        return
    elif kind == "module":
        text = _with_module_line(draw, path, (root / path).read_text(), paths, name)
    else:
        text = _edited(draw, (root / path).read_text(), names)
    if text is None:
        (root / path).unlink(missing_ok=True)
    else:
        (root / path).write_text(text)


@pytest.mark.parametrize("seed", range(3))
def test_answers_after_edits_are_those_of_an_index_opened_anew(
    make_index, open_index, monkeypatch, seed
):
    draw = random.Random(seed)
    index, root = make_index(_sources(), parsed_bytes=8_000_000)
    stored = index._stored
    counted = stored.tokens([name.decode() for name in stored.store.hkeys(stored.keys.tokens)])
    uses = {name: sum(found.values()) for name, found in counted.items()}
    names = sorted((name for name in uses if uses[name] >= 4), key=lambda name: (-uses[name], name))
    declared = [
        (entry.qualified, index._sync.snapshot.paths[entry.number])
        for name in names[:20]
        for entry in stored.called([name]).get(name, ())
    ]
    questions = [
        *((name, None, LISTED, "") for name in names[:50]),
        *((name, "src/services", 3, "") for name in names[:10]),
        *((name, None, None, "") for name in names[:10]),
        *((qualified, None, LISTED, "") for qualified, _ in declared),
        *((qualified, None, LISTED, path) for qualified, path in declared if "." not in qualified),
    ]

    def answers(one):
        return [
            one.uses(symbol, path=within, limit=limit, declared_in=path)._replace(contexts=None)
            for symbol, within, limit, path in questions
        ]

    before, changes = answers(index), 0
    for _ in range(EDITS):
        with monkeypatch.context() as patched:
            patched.setattr(ReferenceFinder, "of", None)
            kept = questions[-40:]
            for symbol, within, limit, path in kept:
                index.uses(symbol, path=within, limit=limit, declared_in=path)
        for _ in range(draw.choice([1, 1, 2])):
            _edit(draw, root, [*names[:15], "brand_new"])
        after = answers(index)
        assert after == answers(open_index(root, parsed_bytes=8_000_000))
        changes += after != before
        before = after
    assert changes > EDITS // 3
