"""What the tests of the index share."""

import itertools
import json
import shutil

import pytest
from index_contents import everything_in

from ipuaro_jupyter.index.code_index import CodeIndex, IndexSettings
from ipuaro_jupyter.index.extract.facts_format import unpack_facts
from ipuaro_jupyter.index.extract.parse import parse_file
from ipuaro_jupyter.index.resolve.resolver import Resolver
from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.records.code import FileFacts
from ipuaro_jupyter.store.keys import Keys, project_id
from ipuaro_jupyter.workspace.changes.undo_stack import ShownFiles, UndoStack
from ipuaro_jupyter.workspace.workspace import Workspace, WorkspaceSettings


def parse_to_facts(content, path="src/a.ts"):
    """Return the facts of a file, checked against the records."""
    data = content if isinstance(content, bytes) else content.encode()
    return FileFacts.model_validate(unpack_facts(parse_file(path, data)[0].facts))


@pytest.fixture
def read_facts():
    """Return a function from source text and path to checked facts."""
    return parse_to_facts


@pytest.fixture
def functions_of():
    """Return a function from source text to its functions by qualified name, the last one wins."""

    def read(content, path="src/a.ts"):
        return {
            function.qualified: function for function in parse_to_facts(content, path).functions
        }

    return read


@pytest.fixture
def open_index(store):
    """Give a function that opens the index of a folder, which looks at the disk every time."""
    opened = []

    def open_it(root, *, store=store, **settings):
        keys = Keys(project_id(root))
        workspace = Workspace(
            root,
            WorkspaceSettings(approve="all"),
            confirm=lambda _: Decision(action="apply"),
            undo=UndoStack(store, keys, "session", depth=10),
            shown=ShownFiles(store, keys, "session"),
            changed=lambda _: None,
        )
        settings = {"scan_interval_s": 0, **settings}
        workers = settings.pop("open_workers", None)
        opened.append(CodeIndex(workspace, store, IndexSettings(**settings), open_workers=workers))
        return opened[-1]

    yield open_it
    for index in opened:
        index.close()


@pytest.fixture
def make_index(make_project, open_index):
    """Return a function from {path: content} to the refreshed index of such a folder, and that."""

    numbers = itertools.count()

    def make(files, **settings):
        root = make_project(files, f"project{next(numbers)}")
        index = open_index(root, **settings)
        index.refresh()
        return index, root

    return make


@pytest.fixture
def uses(make_index):
    """Return a function from files and symbol to "path:line:column", with marks.

    A definition is marked "!", a match by name only "?".
    """

    def find(files, symbol, **options):
        index, _ = make_index(files)
        return [
            f"{r.path}:{r.line}:{r.column}" + "!" * r.is_definition + "?" * (not r.resolved)
            for r in index.references(symbol, **options)
        ]

    return find


@pytest.fixture
def places(make_index):
    """Return a function from files and symbol to the certain places and those listed apart."""

    def find(files, symbol, **options):
        index, _ = make_index(files)
        found = index.uses(symbol, limit=None, **options)
        certain = [f"{one.path}:{one.line}:{one.column}" for one in found.first if one.resolved]
        return certain, [f"{one.path}:{one.line}:{one.column}" for one in found.unresolved]

    return find


@pytest.fixture
def resolve():
    """Return a function from files, specifier and importer to the resolution."""

    def resolve_it(files, source, importer="src/app.ts", *, kind="import", symlinks=None):
        given = files if isinstance(files, dict) else dict.fromkeys(files, "")
        texts = {
            path: text if isinstance(text, str) else json.dumps(text)
            for path, text in given.items()
        }
        return Resolver(texts, texts.get, symlinks=symlinks).resolve(source, importer, kind=kind)

    return resolve_it


@pytest.fixture
def money():
    """A small project, as {path: content}."""
    return {
        "package.json": '{"name": "money", "main": "./src/pay.ts"}',
        "src/tax.ts": "export function vat(net: number) {\n  return net > 0 ? net : 0\n}\n",
        "src/pay.ts": "import { vat } from './tax'\n// TODO: round\n"
        "export class Bill { pay() {} }\n",
        "src/gone.ts": "import './none'\nimport './tax'\n",
        "README.md": "# Money\n",
    }


@pytest.fixture
def contents():
    """Return a function that returns everything that an index holds."""
    return everything_in


@pytest.fixture
def staged():
    """Return a function that returns the keys of an index that is being made."""
    return lambda index: list(index._stored.store.scan(f"{index._stored.keys.prefix}*:new*"))


@pytest.fixture
def change_disk():
    """Return a function that writes a file, or deletes a file or folder."""

    def change(root, path, content):
        place = root / path
        if content is not None:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(content)
        elif place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)

    return change
