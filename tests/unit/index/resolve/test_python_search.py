"""Where the imports of Python files lead."""

import importlib.machinery
import itertools

import pytest

from ipuaro_jupyter.index.resolve.lookups import TrackedFiles
from ipuaro_jupyter.index.resolve.python_search import PythonSearch
from ipuaro_jupyter.index.resolve.resolver import Resolver


def search(files):
    """Return a search among files, given as paths or as {path: content}."""
    contents = files if isinstance(files, dict) else dict.fromkeys(files, "")
    return PythonSearch(TrackedFiles(contents), contents.get)


PACKAGE = (
    "pkg/__init__.py", "pkg/a.py", "pkg/b.pyi", "pkg/sub/__init__.py", "pkg/sub/c.py",
    "pkg/both.py", "pkg/both.pyi", "main.py", "json.py", "ns/inner/d.py", "tests/test_a.py",
    "tests/helpers.py", "nb/n.ipynb",
)  # fmt: skip


@pytest.mark.parametrize(
    ("importer", "source", "names", "path", "modules"),
    [
        ("main.py", "pkg", ("*",), "pkg/__init__.py", {}),
        ("main.py", "pkg.a", ("*",), "pkg/a.py", {}),
        ("main.py", "pkg.sub.c", ("f",), "pkg/sub/c.py", {}),
        ("main.py", "pkg.b", (), "pkg/b.pyi", {}),
        ("main.py", "pkg.both", (), "pkg/both.py", {}),
        ("main.py", "pkg", ("a", "name"), "pkg/__init__.py", {"a": "pkg/a.py"}),
        ("main.py", "pkg", ("a", "sub"), "pkg/a.py",
         {"a": "pkg/a.py", "sub": "pkg/sub/__init__.py"}),
        ("main.py", "pkg.a.nothing", (), None, {}),
        ("main.py", "pkg.nothing", (), None, {}),
        ("main.py", "ns.inner.d", (), "ns/inner/d.py", {}),
        ("main.py", "ns.inner", ("d",), "ns/inner/d.py", {"d": "ns/inner/d.py"}),
        ("main.py", "ns.inner", ("*",), None, {}),
        ("main.py", "requests", ("get",), None, {}),
        ("main.py", "json", ("*",), "json.py", {}),
        ("main.py", "sys", ("*",), None, {}),
        ("pkg/a.py", "json", ("*",), None, {}),
        ("pkg/a.py", ".", ("b",), "pkg/b.pyi", {"b": "pkg/b.pyi"}),
        ("pkg/a.py", ".", ("name",), "pkg/__init__.py", {}),
        ("pkg/a.py", ".sub.c", ("x",), "pkg/sub/c.py", {}),
        ("pkg/sub/c.py", "..a", ("x",), "pkg/a.py", {}),
        ("pkg/sub/c.py", "..", ("sub",), "pkg/sub/__init__.py", {"sub": "pkg/sub/__init__.py"}),
        ("pkg/sub/__init__.py", ".c", ("x",), "pkg/sub/c.py", {}),
        ("pkg/sub/c.py", "pkg.a", ("x",), "pkg/a.py", {}),
        ("pkg/sub/c.py", "a", ("x",), None, {}),
        ("pkg/sub/c.py", "....a", ("x",), None, {}),
        ("tests/test_a.py", "helpers", ("x",), "tests/helpers.py", {}),
        ("tests/test_a.py", "pkg.a", ("x",), "pkg/a.py", {}),
        ("nb/n.ipynb", "pkg.a", ("x",), "pkg/a.py", {}),
    ],
)  # fmt: skip
def test_modules_are_found_as_python_finds_them(importer, source, names, path, modules):
    found = search(PACKAGE).resolve(source, importer, names)
    assert (found.path, found.modules) == (path, modules)


def test_a_relative_import_that_leads_nowhere_says_where_it_would():
    resolver = Resolver(frozenset(PACKAGE), lambda _: None)
    link = resolver.resolve(".missing.deep", "pkg/a.py", names=["x"])
    assert (link.path, link.target) == (None, "pkg/missing/deep.py")
    assert link.targets == {"pkg/missing/deep.py"}


@pytest.mark.parametrize(
    ("config", "content"),
    [
        ("pyproject.toml", '[tool.setuptools.packages.find]\nwhere = ["lib"]'),
        ("pyproject.toml", '[tool.setuptools]\npackage-dir = {"" = "lib"}'),
        ("pyproject.toml", '[tool.hatch.build.targets.wheel]\npackages = ["lib/kit"]'),
        ("pyproject.toml", '[tool.hatch.build.targets.wheel]\nsources = ["lib"]'),
        ("pyproject.toml", '[tool.poetry]\npackages = [{include = "kit", from = "lib"}]'),
        ("pyproject.toml", '[tool.pdm.build]\npackage-dir = "lib"'),
        ("pyproject.toml", '[tool.pytest.ini_options]\npythonpath = "lib"'),
        ("setup.cfg", "[options]\npackage_dir =\n    = lib"),
        ("setup.cfg", "[options.packages.find]\nwhere = lib"),
        ("setup.py", 'setup(package_dir={"": "lib"})'),
        ("setup.py", 'setup(packages=find_packages(where="lib"))'),
    ],
)
def test_a_configuration_names_the_folders_of_packages(config, content):
    files = {f"app/{config}": content, "app/lib/kit/__init__.py": "", "app/tools/run.py": ""}
    files["other/x.py"] = ""
    assert search(files).resolve("kit", "app/tools/run.py").path == "app/lib/kit/__init__.py"
    assert search(files).resolve("kit", "other/x.py").path == "app/lib/kit/__init__.py"


@pytest.mark.parametrize("content", ["[tool", "tool = 1", "[tool]\nhatch = 1", "x = " + "[" * 5000])
def test_an_odd_configuration_is_passed_over(content):
    files = {"pyproject.toml": content, "kit/__init__.py": "", "a.py": ""}
    assert search(files).resolve("kit", "a.py").path == "kit/__init__.py"


def test_the_usual_source_folder_is_searched():
    files = ("src/kit/__init__.py", "src/kit/a.py", "tests/unit/test_a.py")
    assert search(files).resolve("kit.a", "tests/unit/test_a.py").path == "src/kit/a.py"


def test_a_namespace_package_has_parts_in_several_places():
    files = ("one/src/ns/a.py", "two/src/ns/b.py", "one/setup.py", "two/setup.py")
    found = search(files).resolve("ns", "one/src/ns/a.py", ("a", "b"))
    assert found.modules == {"a": "one/src/ns/a.py", "b": "two/src/ns/b.py"}


def test_installed_programs_are_entries():
    files = {"pyproject.toml": '[project.scripts]\nrun = "kit.cli:main"', "src/kit/cli.py": ""}
    assert search(files).entries == {"src/kit/cli.py"}


def test_absolute_imports_lead_where_the_import_system_leads(tmp_path):
    """The truth is what importlib's path finder says of every name in a tree of odd packages."""
    files = (
        "r1/a/__init__.py", "r1/a/b.py", "r1/a/b/__init__.py", "r1/c.py", "r1/c/__init__.py",
        "r1/d.py", "r1/d/e.py", "r1/n/x.py", "r2/n/y.py", "r2/n/z/__init__.py", "r2/a/f.py",
        "r2/g/__init__.py", "r2/g/h/i.py", "r1/main.py",
    )  # fmt: skip
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    contents = dict.fromkeys(files, "")
    contents["r1/pyproject.toml"] = '[tool.pytest.ini_options]\npythonpath = [".", "../r2"]'
    ours = search(contents)
    parts = ("a", "b", "c", "d", "e", "f", "g", "h", "i", "n", "x", "y", "z")
    names = [
        ".".join(name) for length in (1, 2, 3) for name in itertools.product(parts, repeat=length)
    ]
    roots = [str(tmp_path / "r1"), str(tmp_path / "r2")]
    for name in names:
        truth = _found_by_importlib(name, roots)
        relative = None if truth is None else truth.removeprefix(f"{tmp_path}/")
        assert ours.resolve(name, "r1/main.py").path == relative, name


def _found_by_importlib(name, path):
    """Return the file of a module as the finders of importlib see it, without an import."""
    loader = importlib.machinery.SourceFileLoader, importlib.machinery.SOURCE_SUFFIXES
    origin = None
    for part in name.split("."):
        portions, spec = [], None
        for entry in path:
            spec = importlib.machinery.FileFinder(entry, loader).find_spec(part)
            if spec is not None and spec.loader is not None:
                break
            portions += spec.submodule_search_locations if spec is not None else []
            spec = None
        if spec is None and not portions:
            return None
        origin = None if spec is None else spec.origin
        path = portions if spec is None else spec.submodule_search_locations or []
    return origin


@pytest.fixture
def index(make_index):
    return lambda files: make_index(files)[0]


def test_the_graph_has_submodules_as_python_files_import_them(index):
    made = index(
        {
            "pkg/__init__.py": "",
            "pkg/a.py": "from . import b, c\nfrom .d import x\nimport os\n",
            "pkg/b.py": "from pkg import VERSION\n",
            "pkg/c.py": "",
            "pkg/d/__init__.py": "x = 1\n",
            "run.ipynb": '{"cells": [{"cell_type": "code", "source": "import pkg.a"}]}',
        }
    )
    assert [d.path for d in made.imports.dependencies("pkg/a.py")] == [
        "pkg/b.py",
        "pkg/c.py",
        "pkg/d/__init__.py",
    ]
    assert [d.path for d in made.imports.dependencies("pkg/b.py")] == ["pkg/__init__.py"]
    assert [d.path for d in made.imports.dependents("pkg/a.py")] == ["run.ipynb"]
    assert [d.path for d in made.imports.dependents("pkg/c.py")] == ["pkg/a.py"]


def test_a_module_that_appears_is_found(make_index):
    made, root = make_index({"pkg/__init__.py": "", "pkg/a.py": "from . import b\n"})
    assert [d.path for d in made.imports.dependencies("pkg/a.py")] == ["pkg/__init__.py"]
    (root / "pkg/b.py").write_text("")
    made.refresh()
    assert [d.path for d in made.imports.dependencies("pkg/a.py")] == ["pkg/b.py"]


def test_module_without_submodules_hides_none_of_the_same_name_above():
    """``from b import a`` finds no module in the file b.py; ``from .. import`` still finds a.py."""
    files = dict.fromkeys(["a.py", "b.py", "pkg/app.py"], "")
    python = PythonSearch(TrackedFiles(files), files.get)
    assert python.resolve("b", "app.py", ["a"]).modules == {}
    assert python.resolve("..a", "pkg/app.py", ["f"]).path == "a.py"
