"""The files that a Go import means."""

import pytest

from ipuaro_jupyter.index.resolve.resolver import Resolver

FILES = {
    "go.mod": "module example.com/docks // main\n\ngo 1.22\n\nrequire example.com/crane v1.0.0\n"
    "replace (\n\texample.com/crane v1.0.0 => ./third/crane\n\texample.com/far => ../far\n)\n",
    "main.go": "",
    "store/store.go": "",
    "store/store_windows.go": "",
    "store/store_test.go": "",
    "store/_draft.go": "",
    "store/internal/disk/disk.go": "",
    "only/only_test.go": "",
    "third/crane/go.mod": 'module "example.com/crane"\n',
    "third/crane/hook/hook.go": "",
    "tools/go.mod": "module example.com/docks/tools\n",
    "tools/lint/lint.go": "",
    "vendor/example.org/rope/rope.go": "",
}


def resolve(files, source, importer):
    return Resolver(files, files.get).resolve(source, importer)


@pytest.mark.parametrize(
    ("importer", "source", "expected"),
    [
        ("main.go", "example.com/docks/store", {"store/store.go", "store/store_windows.go"}),
        ("store/store_test.go", "example.com/docks", {"main.go"}),
        (
            "store/store.go",
            "example.com/docks/store/internal/disk",
            {"store/internal/disk/disk.go"},
        ),
        ("main.go", "example.com/crane/hook", {"third/crane/hook/hook.go"}),
        ("third/crane/hook/hook.go", "example.com/docks/store", set()),
        ("main.go", "example.com/docks/tools/lint", set()),  # a module of its own
        ("tools/lint/lint.go", "example.com/docks/tools/lint", {"tools/lint/lint.go"}),
        ("main.go", "example.org/rope", {"vendor/example.org/rope/rope.go"}),
        ("main.go", "example.com/docksstore", set()),
        ("main.go", "example.com/docks/only", set()),
        ("main.go", "example.com/far/x", set()),
        ("main.go", "./store", {"store/store.go", "store/store_windows.go"}),
        ("main.go", "fmt", set()),
    ],
)
def test_a_package_is_the_files_of_its_folder(importer, source, expected):
    assert resolve(FILES, source, importer).targets == expected


def test_the_modules_of_a_workspace_find_one_another():
    files = {
        "go.work": "go 1.22\nuse (\n\t./a\n\t./b\n)\nreplace example.com/c => ./third\n",
        "a/go.mod": "module example.com/a\n",
        "a/a.go": "",
        "b/go.mod": "module example.com/b\n",
        "b/b.go": "",
        "third/c.go": "",
        "apart/go.mod": "module example.com/apart\n",
        "apart/apart.go": "",
    }
    assert resolve(files, "example.com/b", "a/a.go").targets == {"b/b.go"}
    assert resolve(files, "example.com/c", "a/a.go").targets == {"third/c.go"}
    assert resolve(files, "example.com/b", "apart/apart.go").targets == set()
    assert resolve(files, "example.com/apart", "a/a.go").targets == set()


def test_without_a_module_nothing_is_known():
    assert resolve({"a/a.go": "", "b/b.go": ""}, "a", "b/b.go").targets == set()
