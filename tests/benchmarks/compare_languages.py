"""What is read of Go, Rust and Java, against their own parsers and build tools.

    python compare_languages.py [go|rust|java…] [--show N]

Definitions are compared by qualified name and line, functions and types by their last line too;
imports by the files or packages that they lead to inside the project.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path

import msgspec
from corpora import cache

from ipuaro_jupyter.index.extract.facts_format import unpack_facts
from ipuaro_jupyter.index.extract.parse import parse_file
from ipuaro_jupyter.index.extract.symbols import symbols_of
from ipuaro_jupyter.index.resolve.resolver import Resolver

GO = (
    "github.com/spf13/cobra@v1.8.1",
    "github.com/gin-gonic/gin@v1.10.0",
    "github.com/prometheus/client_golang@v1.20.5",
    "github.com/hashicorp/consul/api@v1.30.0",
)
RUST = (
    'serde = "=1.0.215"',
    'tokio = { version = "=1.41.1", features = ["full"] }',
    'clap_builder = "=4.5.21"',
    'regex-automata = "=0.4.9"',
    'itertools = "=0.13.0"',
)
JAVA = ("com.google.guava:guava:33.3.1-jre", "org.apache.commons:commons-lang3:3.17.0")
PEERS = Path(__file__).parent / "peers"
Row = tuple[str, int, int]
"""Qualified name, the line of the name, the last line; 0 where only the first is compared."""


class Tally:
    """What two sides say, counted.

    Args:
        show: How many differences to print.
    """

    def __init__(self, show: int) -> None:
        self.left = show
        self.counts: Counter[str] = Counter()

    def compare(
        self, what: str, path: str, ours: Iterable[object], theirs: Iterable[object]
    ) -> None:
        """Add two lists, in which what occurs twice counts twice."""
        own, other = Counter(ours), Counter(theirs)
        both = own & other
        self.counts[f"{what}: equal"] += both.total()
        for name, rest in (("missing", other - both), ("extra", own - both)):
            self.counts[f"{what}: {name}"] += rest.total()
            for one in sorted(rest, key=str):
                if self.left > 0:
                    self.left -= 1
                    print(f"    {name} {what} {path}: {one}")

    def row(self, name: str, files: int) -> str:
        """A row of the table of the README."""
        kinds = dict.fromkeys(key.partition(":")[0] for key in self.counts)
        parts = [
            ", ".join(f"{self.counts[f'{kind}: {what}']}" for what in ("equal", "missing", "extra"))
            for kind in kinds
        ]
        return f"| {name} | {files} | {' | '.join(parts)} |"


def facts_of(path: str, data: bytes) -> tuple[dict, dict[str, list[int]]]:
    """The facts of a file, and the offsets of the names that it declares."""
    parsed, *_ = parse_file(path, data)
    return unpack_facts(parsed.facts), msgspec.msgpack.decode(parsed.definitions)


def declared(facts: dict, places: dict[str, list[int]], data: bytes) -> Iterator[Row]:
    """Every declaration of a file, by each place of its name."""
    spans = defaultdict(list)
    for _, qualified, kind, first, last in symbols_of(facts):
        spans[qualified].append((first, last, kind in {"property", "const", "variable"}))
    for qualified, offsets in places.items():
        for offset in offsets:
            line = data.count(b"\n", 0, offset) + 1
            around = [span for span in spans[qualified] if span[0] <= line <= span[1]]
            first, last, is_plain = max(around, default=(0, -1, False))
            yield qualified, line, 0 if is_plain else last


def run(argv: list[str], folder: Path, text: str = "") -> str:
    """The output of a program.

    Raises:
        subprocess.CalledProcessError: It failed.
    """
    done = subprocess.run(
        argv, cwd=folder, input=text, capture_output=True, text=True, check=True, timeout=1200
    )
    return done.stdout


def compare_go(tally: Callable[[], Tally]) -> Iterator[str]:
    """Rows for Go: definitions by go/parser, imports by ``go list``, complexity by gocyclo."""
    tool = cache() / "go-declarations"
    run(["go", "build", "-o", str(tool), str(PEERS / "declarations.go")], PEERS)
    for package in GO:
        name = package.partition("@")[0].rpartition("/")[2]
        where = cache() / f"go-{name}"
        if not where.exists():
            said = json.loads(run(["go", "mod", "download", "-json", package], cache()))
            shutil.copytree(said["Dir"], where, copy_function=shutil.copyfile)
            run(["chmod", "-R", "u+w", "."], where)
        files = sorted(str(p.relative_to(where)) for p in where.rglob("*") if p.is_file())
        sources = [path for path in files if path.endswith(".go")]
        found = tally()
        theirs = run([str(tool)], where, "\n".join(sources))
        resolver = Resolver(files, lambda path, where=where: (where / path).read_text("utf-8"))
        folders: dict[str, set[str]] = defaultdict(set)
        for line in theirs.splitlines():
            row = json.loads(line)
            if row["error"]:
                found.counts["broken"] += 1
                continue
            path, data = row["path"], (where / row["path"]).read_bytes()
            facts, places = facts_of(path, data)
            wanted = [
                (name, at, end if kind in {"function", "struct", "interface", "type"} else 0)
                for kind, name, at, end in row["rows"] or ()
            ]
            found.compare("definitions", path, _without_ends(facts, places, data, wanted), wanted)
            found.compare("imports", path, [i["source"] for i in facts["imports"]], row["imports"])
            for item in facts["imports"]:
                place = resolver.resolve(item["source"], path).path
                if place is not None:
                    folders[path].add(place.rpartition("/")[0])
        _compare_go_list(where, found, folders)
        if cyclo := shutil.which("gocyclo") or shutil.which(str(Path.home() / "go/bin/gocyclo")):
            _compare_gocyclo(cyclo, where, found, sources)
        yield found.row(package, len(sources))


def _outer(paths: Iterable[str]) -> list[str]:
    """The paths that do not begin in the own module, which we write as from the file."""
    plain = (path.replace("r#", "").removesuffix("::*").removesuffix("*") for path in paths)
    return [
        path
        for path in plain
        if path.partition("::")[0] not in {"self", "super", ""} and not path.endswith(".rs")
    ]


def _is_named(qualified: str) -> bool:
    """Whether all parts of a name are names: a block of methods may be of a slice or a tuple."""
    return all(part.removeprefix("r#").isidentifier() for part in qualified.split("."))


def _compare_modules(project: Path, where: Path, found: Tally, edges: dict[str, set[str]]) -> None:
    """Compare the files that rustc reads for the library with those that are reached from it."""
    crate = where.name.rpartition("-")[0].replace("-", "_")
    theirs: set[str] = set()
    inside = f"/{where.name}/"
    for file in project.glob(f"target/debug/deps/{crate}-*.d"):
        for word in file.read_text("utf-8").split():
            path = word.rstrip(":")
            if path.endswith(".rs") and inside in path:
                theirs.add(path.partition(inside)[2])
    ours, open_ = set[str](), ["src/lib.rs"]
    while open_:
        path = open_.pop()
        if path not in ours:
            ours.add(path)
            open_ += edges.get(path, ())
    found.compare("files", where.name, ours & theirs, theirs)
    found.counts["files: extra"] = len(ours - theirs)


def _without_ends(facts: dict, places: dict, data: bytes, wanted: list[Row]) -> list[Row]:
    """Our rows; the last line of a method of an interface is not compared."""
    plain = {(name, at) for name, at, end in wanted if not end}
    return [(n, at, 0 if (n, at) in plain else end) for n, at, end in declared(facts, places, data)]


def _compare_go_list(where: Path, found: Tally, folders: dict[str, set[str]]) -> None:
    """Compare the packages of the module that each file of a package imports."""
    said = run(["go", "list", "-e", "-json", "./..."], where)
    decoder, at, packages = json.JSONDecoder(), 0, []
    while at < len(said.rstrip()):
        package, at = decoder.raw_decode(said, at)
        packages.append(package)
        at += len(said[at:]) - len(said[at:].lstrip())
    place = {
        p["ImportPath"]: str(Path(p["Dir"]).relative_to(where.resolve())).lstrip(".")
        for p in packages
    }
    for package in packages:
        folder = place[package["ImportPath"]]
        for lists, names in (
            ("GoFiles", "Imports"),
            ("TestGoFiles", "TestImports"),
            ("XTestGoFiles", "XTestImports"),
        ):
            own = package.get(lists, [])
            if lists == "GoFiles":
                own = own + package.get("CgoFiles", [])
            ours = {f for name in own for f in folders[f"{folder}/{name}".lstrip("/")]}
            ours &= {*place.values()}  # not testdata
            theirs = {place[name] for name in package.get(names, []) if name in place}
            found.compare("packages", f"{folder} {lists}", ours, theirs)


def _compare_gocyclo(cyclo: str, where: Path, found: Tally, sources: list[str]) -> None:
    theirs: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for line in run([cyclo, "."], where).splitlines():
        score, _, name, place = line.split(" ", 3)
        theirs[place.split(":")[0]].append(
            (name.replace("*", "").strip("()").replace(").", "."), int(score))
        )
    for path in sources:
        if path not in theirs:
            continue
        facts, _ = facts_of(path, (where / path).read_bytes())
        methods = [m for kind in ("classes",) for c in facts[kind] for m in c["methods"]]
        ours = [(f["qualified"], f["cyclomatic"]) for f in (*facts["functions"], *methods)]
        found.compare("complexity", path, ours, theirs[path])


def compare_rust(tally: Callable[[], Tally]) -> Iterator[str]:
    """Rows for Rust: definitions, paths and complexity by syn, modules by rustc."""
    tool = cache() / "rust-declarations"
    run(["cargo", "build", "-q", "--release", "--target-dir", str(tool)], PEERS / "rust")
    project = cache() / "rust-crates"
    if not (project / "vendor").exists():
        (project / "src").mkdir(parents=True, exist_ok=True)
        (project / "src" / "main.rs").write_text("fn main() {}")
        wanted = "\n".join(RUST)
        (project / "Cargo.toml").write_text(
            f'[package]\nname = "scratch"\nversion = "0.1.0"\nedition = "2021"\n'
            f"[dependencies]\n{wanted}\n"
        )
        said = run(["cargo", "vendor", "-q", "--versioned-dirs"], project)
        (project / ".cargo").mkdir(exist_ok=True)
        (project / ".cargo" / "config.toml").write_text(said)
    run(["cargo", "check", "-q"], project)
    for wanted in RUST:
        name, version = re.findall(r"[\w.-]+", wanted)[:1] + re.findall(r"=([\d.]+)", wanted)
        where = project / "vendor" / f"{name}-{version}"
        found, files = (
            tally(),
            sorted(str(p.relative_to(where)) for p in where.rglob("*") if p.is_file()),
        )
        sources = [path for path in files if path.endswith(".rs")]
        theirs = run([str(tool / "release/declarations")], where, "\n".join(sources))
        resolver = Resolver(files, lambda path, where=where: (where / path).read_text("utf-8"))
        edges: dict[str, set[str]] = defaultdict(set)
        for line in theirs.splitlines():
            row = json.loads(line)
            if row["error"]:
                found.counts["broken"] += 1
                continue
            path, data = row["path"], (where / row["path"]).read_bytes()
            facts, places = facts_of(path, data)
            ends = {"function", "struct", "enum", "trait", "type", "module", "macro"}
            rows = [
                (name.replace("r#", ""), at, end if kind in ends else 0)
                for kind, name, at, end in row["rows"]
            ]
            ours = [
                (name.replace("r#", ""), at, end)
                for name, at, end in _without_ends(facts, places, data, rows)
                if _is_named(name)
            ]
            found.compare("definitions", path, ours, rows)
            imports = [
                i["source"] if n["imported"] == "*" else f"{i['source']}::{n['imported']}"
                for i in facts["imports"]
                for n in i["names"]
            ]
            found.compare("imports", path, _outer(imports), _outer(row["imports"]))
            methods = [
                m for kind in ("classes", "interfaces") for c in facts[kind] for m in c["methods"]
            ]
            scores = [
                [f["qualified"], f["cyclomatic"]]
                for f in (*facts["functions"], *methods)
                if f["params"] is not None
            ]
            macros = {name for kind, name, *_ in row["rows"] if kind == "macro"}
            found.compare(
                "complexity",
                path,
                [(q, c) for q, c in scores if q not in macros and _is_named(q)],
                [tuple(one) for one in row["complexity"]],
            )
            for item in facts["imports"]:
                names = [n["imported"] for n in item["names"]]
                edges[path] |= resolver.resolve(item["source"], path, names=names).targets
        _compare_modules(project, where, found, edges)
        yield found.row(f"{name} {version}", len(sources))


def compare_java(tally: Callable[[], Tally]) -> Iterator[str]:
    """Rows for Java: definitions, imports and complexity by javac."""
    peer = ["java", "--add-exports", "jdk.compiler/com.sun.tools.javac.tree=ALL-UNNAMED"]
    for artifact in JAVA:
        group, name, version = artifact.split(":")
        where = cache() / f"java-{name}"
        if not where.exists():
            wanted = f"-Dartifact={artifact}:jar:sources"
            run(["mvn", "-q", "dependency:get", wanted, "-Dtransitive=false"], cache())
            local = Path.home() / ".m2" / "repository" / group.replace(".", "/") / name / version
            with zipfile.ZipFile(local / f"{name}-{version}-sources.jar") as jar:
                jar.extractall(where)
        found, files = (
            tally(),
            sorted(str(p.relative_to(where)) for p in where.rglob("*") if p.is_file()),
        )
        sources = [path for path in files if path.endswith(".java")]
        theirs = run([*peer, str(PEERS / "Declarations.java")], where, "\n".join(sources))
        resolver = Resolver(files, lambda _: None)
        for line in theirs.splitlines():
            row = json.loads(line)
            path, data = row["path"], (where / row["path"]).read_bytes()
            facts, places = facts_of(path, data)
            rows = [
                (name, at, 0 if kind == "field" else end) for kind, name, at, end in row["rows"]
            ]
            found.compare("definitions", path, _without_ends(facts, places, data, rows), rows)
            package = next(
                (i for i in facts["imports"] if not i["names"] or i is facts["imports"][0]), None
            )
            imports = [
                f"{i['source']}.{n['imported']}"
                for i in facts["imports"]
                if i is not package
                for n in i["names"]
                if n["imported"] == "*" or all(m["imported"] != "*" for m in i["names"])
            ]
            found.compare("imports", path, imports, row["imports"])
            methods = [m for k in ("classes", "interfaces") for c in facts[k] for m in c["methods"]]
            scores = [(f["qualified"], f["cyclomatic"]) for f in (*facts["functions"], *methods)]
            found.compare("complexity", path, scores, map(tuple, row["complexity"]))
            wanted = {w for i in row["imports"] if (w := _java_file(i, files)) is not None}
            ours = {
                target
                for i in facts["imports"]
                if i is not package
                for target in resolver.resolve(
                    i["source"], path, names=[n["imported"] for n in i["names"]]
                ).targets
            }
            starred = {
                w.removesuffix(".*").replace(".", "/") for w in row["imports"] if w.endswith(".*")
            }
            ours = {one for one in ours if one.rpartition("/")[0] not in starred}
            found.compare("files", path, ours, wanted)
        yield found.row(artifact, len(sources))


def _java_file(name: str, files: Collection[str]) -> str | None:
    """The file of an imported type, or of the type that has the imported name."""
    parts = name.removesuffix(".*").split(".")
    tried = (f"{'/'.join(parts[:count])}.java" for count in range(len(parts), 0, -1))
    return next((path for path in tried if path in files), None)


COMPARISONS = {"go": compare_go, "rust": compare_rust, "java": compare_java}


def main() -> int:
    """Print a table for each language."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("languages", nargs="*", help=f"of {', '.join(COMPARISONS)}")
    parser.add_argument("--show", type=int, default=0, help="how many differences to print")
    options = parser.parse_args()
    for language in options.languages or COMPARISONS:
        print(f"{language}: equal, missing, extra")
        for row in COMPARISONS[language](lambda: Tally(options.show)):
            print(row, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
