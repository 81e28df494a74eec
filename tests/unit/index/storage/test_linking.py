"""Which imports are resolved again when files come, go or change."""

import pytest

from ipuaro_jupyter.index.resolve.resolver import Resolution
from ipuaro_jupyter.index.storage.linking import Linker, is_config


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


def test_edges_lead_to_files_of_the_project_but_not_to_the_file_itself(tmp_path):
    linker = Linker(tmp_path, {"a.ts", "b.ts"}, {})
    links = [Resolution("b.ts", "b.ts"), Resolution("a.ts", "a.ts"), Resolution(None, "gone")]
    assert linker.edges("a.ts", links) == {"b.ts"}
