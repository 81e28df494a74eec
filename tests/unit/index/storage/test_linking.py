"""Which imports are resolved again when files come, go or change."""

import pytest

from ipuaro_jupyter.index.resolve.resolver import Resolution
from ipuaro_jupyter.index.storage.linking import Linker, concerned_names, is_config
from ipuaro_jupyter.index.storage.stored_index import Module, ModuleImport


def importing(source):
    """Return the imports and exports of a file with one import."""
    return Module(
        imports=[ModuleImport(source=source, kind="import", line=1, names=[])], exports=[]
    )


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("package.json", True),
        ("packages/a/package.json", True),
        ("tsconfig.json", True),
        ("tsconfig.build.json", True),
        ("web/jsconfig.base.json", True),
        ("yard/pnpm-workspace.yaml", True),
        ("config/read.json", True),
        ("src/data.json", False),
        ("src/tsconfig.ts", False),
    ],
)
def test_configurations_are_known_by_name_or_as_they_were_read(path, expected):
    assert is_config(path, {"config/read.json"}) is expected


@pytest.mark.parametrize(
    ("path", "specifier"),
    [
        ("src/a.ts", "./a"),
        ("src/a.d.ts", "./a.js"),
        ("src/a.ios.ts", "./a"),
        ("src/a-native.ts", "./a"),
        ("src/lib/index.ts", "../lib"),
        ("src/lib/main.ts", "./lib/"),
        ("src/a.ts", "."),
        ("src/a.ts", "anything"),
        ("src/a.svg", "./a.svg?raw"),
    ],
)
def test_import_that_a_new_file_may_concern_is_resolved_again(tmp_path, path, specifier):
    module = importing(specifier)
    linker = Linker(tmp_path, {path, "src/app.ts"}, {})
    before = [Resolution("old.ts", "old.ts")]
    assert linker.links_after("src/app.ts", module, before, concerned_names([path])) != before


def test_import_that_a_new_file_does_not_concern_leads_where_it_led(tmp_path):
    module = importing("./b")
    linker = Linker(tmp_path, {"src/a.ts", "src/b.ts"}, {})
    before = [Resolution("old.ts", "old.ts")]
    assert linker.links_after("src/app.ts", module, before, concerned_names(["src/a.ts"])) == before


def test_edges_lead_to_files_of_the_project_but_not_to_the_file_itself(tmp_path):
    linker = Linker(tmp_path, {"a.ts", "b.ts"}, {})
    links = [Resolution("b.ts", "b.ts"), Resolution("a.ts", "a.ts"), Resolution(None, "gone")]
    assert linker.edges("a.ts", links) == {"b.ts"}
