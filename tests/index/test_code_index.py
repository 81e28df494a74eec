"""The index of a project: kept in Redis, equal to the disk, whatever happens there."""

import itertools
import json
import os
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled
from ipuaro_jupyter.index.stored import FileEntry, decode
from ipuaro_jupyter.records.code import FileFacts

MONEY = {
    "package.json": '{"name": "money", "main": "./src/pay.ts"}',
    "src/tax.ts": "export function vat(net: number) {\n  return net > 0 ? net : 0\n}\n",
    "src/pay.ts": "import { vat } from './tax'\n// TODO: round\nexport class Bill { pay() {} }\n",
    "src/gone.ts": "import './none'\nimport './tax'\n",
    "README.md": "# Money\n",
}

PATHS = (
    *("a.ts", "b.ts", "src/a.ts", "src/b.tsx", "src/index.ts", "src/sub/index.js", "src/sub/c.mjs"),
    *("packages/x/src/index.ts", "packages/x/package.json", "package.json", "tsconfig.json"),
    *("src/tsconfig.json", "x.txt", "read.md", "src/sub/.gitignore", ".gitignore", "a.d.ts"),
)
CONTENTS = (
    "",
    "export const a = 1\nexport function f() { return a }\n",
    "import { a } from './a'\nimport './sub'\nexport class K { m() { return a } }\n",
    "export * from './a'\nexport { f as g } from './sub/index'\nimport x from 'x'\nimport '@/a'\n",
    "enum E { A, B }\n// TODO: z\nimport '../a'; import './gone'; import '#i'",
    '{"name":"x","main":"src/index.ts","workspaces":["packages/*"],"imports":{"#i":"./a.ts"}}',
    '{"compilerOptions":{"baseUrl":".","paths":{"@/*":["src/*"]}}}',
    "c.mjs\nb.ts\n",
    "\0binary",
    "class A { constructor(){} m(){} }\nclass B { m(){} }\nconst q = require('./a'); function (",
    "import y from './b'; export default y; import z from '../x.txt'",
)
WRITES = st.tuples(st.sampled_from(PATHS), st.none() | st.sampled_from(CONTENTS))
FOLDERS = st.tuples(st.sampled_from(["src", "src/sub", "packages"]), st.none())
STEPS = st.lists(
    st.tuples(st.lists(WRITES | FOLDERS, min_size=1, max_size=4), st.sampled_from([0, 1, 2])),
    max_size=8,
)


def contents(index):
    """Return everything that the index holds, without what depends on when it was made."""
    stored, found = index._stored, {}
    for key in stored.key_names:
        fields = stored.store.hgetall(key)
        if key == stored.keys.index_info:
            for name in (b"generation", b"seconds", b"configs"):
                fields.pop(name, None)
        elif key == stored.keys.files:
            for path, value in fields.items():
                entry = decode(FileEntry, value)
                fields[path] = (entry.hash, entry.language, entry.number, entry.symbols)
        found[key] = fields
    return found


def staged(index):
    """Return the keys of an index that is being made."""
    return list(index._stored.store.scan(f"{index._stored.keys.prefix}*:new*"))


def change_disk(root, path, content):
    """Write a file, or delete a file or folder."""
    place = root / path
    if content is not None:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content)
    elif place.is_dir():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)


@given(STEPS)
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_index_after_any_changes_is_that_of_a_fresh_start(tmp_path_factory, open_index, steps):
    """Two kernels take turns, by scanning or by being told."""
    root = tmp_path_factory.mktemp("project")
    kernels = [open_index(root), open_index(root)]
    kernels[0].refresh()
    for changes, way in steps:
        for path, content in changes:
            change_disk(root, path, content)
        kernel = kernels[way % 2]
        if way:
            kernel.touch(path for path, _ in changes)
        else:
            kernel.refresh()
    kernels[0].refresh()
    by_and_by = contents(kernels[0])
    kernels[1].refresh(full=True)
    assert by_and_by == contents(kernels[1])


def test_refresh_reports_what_the_index_holds(make_index):
    index, root = make_index({**MONEY, "logo.txt": b"\0\1", "latin.ts": b"// \xe9"})
    (root / "link.ts").symlink_to("src/tax.ts")
    report = index.refresh()
    assert report.files == 5
    assert report.languages == {"json": 1, "markdown": 1, "typescript": 3}
    assert set(report.skipped) == {"logo.txt", "latin.ts"}
    assert report.symlinks == {"link.ts": "src/tax.ts"}
    assert (report.edges, report.symbols) == (2, 3)
    assert index.summary().files == 5


def test_unchanged_project_is_not_read_again(make_index, open_index):
    index, root = make_index(MONEY)
    old = time.time() - 100
    for path in MONEY:
        os.utime(root / path, (old, old))
    index.refresh()
    before = index._stored.info("generation")
    read = []
    open_index(root).refresh(progress=lambda done, total: read.append((done, total)))
    assert read == []
    assert index._stored.info("generation") == before


def test_same_size_at_the_same_time_is_seen_when_it_was_just_written(make_index):
    index, root = make_index({"a.ts": "const one = 1\n"})
    stat = (root / "a.ts").stat()
    (root / "a.ts").write_text("const two = 1\n")
    os.utime(root / "a.ts", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    index.refresh()
    assert index.definitions("two")
    assert not index.definitions("one")


def test_facts_are_those_of_the_disk_now(make_index):
    index, root = make_index(MONEY)
    assert [f.name for f in index.facts("src/tax.ts").functions] == ["vat"]
    (root / "src/tax.ts").write_text("export function levy() {}\n")
    facts = index.facts("src/tax.ts")
    assert isinstance(facts, FileFacts)
    assert [f.name for f in facts.functions] == ["levy"]
    (root / "src/tax.ts").unlink()
    assert index.facts("src/tax.ts") is None
    assert "src/tax.ts" not in index.paths()


def test_facts_of_an_ignored_file_are_parsed_on_demand(make_index):
    index, root = make_index({".gitignore": "made/\n", "made/a.ts": "export const k = 1\n"})
    assert index.paths() == [".gitignore"]
    assert [v.name for v in index.facts("made/a.ts").variables] == ["k"]
    assert index.metrics("made/a.ts")["made/a.ts"].loc == 1
    (root / "made/b.ts").write_text("import './a'\nimport './c'\n")
    found = [(d.path, d.exists) for d in index.dependencies("made/b.ts")]
    assert found == [("made/a.ts", True), ("made/c", False)]


@pytest.mark.parametrize("path", ["none.ts", "README.md", "src", "binary.ts"])
def test_facts_of_what_is_not_parsed_are_none(make_index, path):
    index, _ = make_index({**MONEY, "binary.ts": b"\0"})
    assert index.facts(path) is None


def test_created_and_deleted_files_are_seen_by_the_next_question(make_index):
    index, root = make_index(MONEY)
    (root / "src/new.ts").write_text("import './tax'\nexport const fresh = 1\n")
    assert [s.path for s in index.definitions("fresh")] == ["src/new.ts"]
    assert "src/new.ts" in index.paths("src")
    assert "src/new.ts" in [node.path for node in index.dependents("src/tax.ts")]
    (root / "src/new.ts").unlink()
    assert index.definitions("fresh") == []
    assert "src/new.ts" not in [node.path for node in index.dependents("src/tax.ts")]


def test_scan_waits_a_moment_but_files_in_the_answer_are_exact(make_index):
    index, root = make_index(MONEY, scan_interval_s=60)
    index.paths()
    (root / "src/new.ts").write_text("export const fresh = 1\n")
    assert index.definitions("fresh") == []
    (root / "src/tax.ts").write_text("\n\nexport function vat() {}\n")
    assert [s.line for s in index.definitions("vat")] == [3]


def test_definitions_by_bare_and_qualified_name(make_index):
    index, _ = make_index(
        {
            "a.ts": "export class Yard {\n  park() {}\n  static size = 1\n}\n"
            "export enum Size {\n  S,\n  M,\n}\n"
            "namespace N { export interface I { f(): void } }\n",
            "b.ts": "export function park(a: 1): 1\nexport function park(a: any) {}\n"
            "class Lot { park = () => 1 }\n",
        }
    )

    def found(name):
        return [(s.path, s.line, s.qualified, s.kind) for s in index.definitions(name)]

    assert found("park") == [
        ("a.ts", 2, "Yard.park", "function"),
        ("b.ts", 1, "park", "function"),
        ("b.ts", 2, "park", "function"),
        ("b.ts", 3, "Lot.park", "function"),
    ]
    assert found("Yard.park") == [("a.ts", 2, "Yard.park", "function")]
    assert found("Yard.park()") == found("Yard.park")
    assert found("size") == [("a.ts", 3, "Yard.size", "property")]
    assert found("Size.M") == [("a.ts", 7, "Size.M", "property")]
    assert found("I.f") == found("N.I.f") == [("a.ts", 9, "N.I.f", "function")]
    assert found("none") == []


def test_decorated_definition_is_where_its_name_is(make_index):
    index, _ = make_index({"a.ts": "@Component({\n  name: 'x',\n})\nexport class Card {}\n"})
    assert [s.line for s in index.definitions("Card")] == [4]


def test_definition_behind_another_exported_name(make_index):
    index, _ = make_index(
        {"yard.ts": "export class Yard {}\n", "index.ts": "export { Yard as Lot } from './yard'\n"}
    )
    assert [(s.path, s.name) for s in index.definitions("Lot")] == [("yard.ts", "Yard")]


def test_similar_names_are_ranked(make_index):
    index, _ = make_index(
        {
            "u.ts": "export function getUserById() {}\nexport function getUserByEmail() {}\n"
            "export const zzz = 1\nclass UserStore { fetchAll() {} }\n"
        }
    )
    assert index.similar("getuserbyid")[0].name == "getUserById"
    assert [s.name for s in index.similar("getUserByid")] == ["getUserById", "getUserByEmail"]
    assert [(s.qualified, s.line) for s in index.similar("fetchAl")] == [("UserStore.fetchAll", 4)]
    assert index.similar("UserStor.fetchAll")[0].qualified == "UserStore.fetchAll"
    assert index.similar("qqqqqq") == []
    assert index.similar("") == []
    assert len(index.similar("user", limit=1)) == 1


def test_dependencies_are_nodes_with_their_roles(make_index):
    users = {f"src/u{i}.ts": "import './core'\n" for i in range(6)}
    index, _ = make_index(
        {
            **users,
            "src/core.ts": "export const c = 1\n",
            "src/app.ts": "import './core'\nimport './u0'\nimport './gone'\nimport './a.css'\n"
            "import './core'\nimport 'react'\n",
            "src/a.css": "",
        }
    )
    found = {d.path: d for d in index.dependencies("src/app.ts")}
    assert list(found) == ["src/a.css", "src/core.ts", "src/gone", "src/u0.ts"]
    assert found["src/core.ts"].is_hub
    assert found["src/core.ts"].dependents == 7
    assert not found["src/u0.ts"].is_hub
    assert not found["src/gone"].exists
    assert not found["src/gone"].is_entry_point
    assert found["src/a.css"].exists
    assert found["src/a.css"].file_type == "unknown"
    assert found["src/u0.ts"].complexity_score == pytest.approx(10.4)
    assert index.node("src/app.ts").is_entry_point
    assert [d.path for d in index.dependents("src/core.ts")] == ["src/app.ts", *users]


def test_import_of_an_ignored_file_exists(make_index):
    files = {
        ".gitignore": "made/\n",
        "made/client.ts": "",
        "made/logo.svg": "",
        "app.ts": "import './made/client'\nimport './made/logo.svg'\nimport './made/none'\n",
    }
    index, _ = make_index(files)
    found = [(node.path, node.exists) for node in index.dependencies("app.ts")]
    assert found == [("made/client.ts", True), ("made/logo.svg", True), ("made/none", False)]


def test_entry_of_the_package_is_an_entry_point(make_index):
    index, _ = make_index({**MONEY, "src/use.ts": "import './pay'\n"})
    assert index.node("src/pay.ts").is_entry_point
    assert not index.node("src/tax.ts").is_entry_point


def test_changed_tsconfig_leads_imports_elsewhere(make_index):
    files = {
        "base.json": '{"compilerOptions": {"paths": {"@/*": ["./one/*"]}}}',
        "tsconfig.json": '{"extends": "./base.json"}',
        "one/a.ts": "",
        "two/a.ts": "",
        "use.ts": "import '@/a'\n",
    }
    index, root = make_index(files)
    assert [d.path for d in index.dependencies("use.ts")] == ["one/a.ts"]
    (root / "base.json").write_text(files["base.json"].replace("one", "two"))
    assert [d.path for d in index.dependencies("use.ts")] == ["two/a.ts"]
    assert index.node("one/a.ts").dependents == 0
    assert [d.path for d in index.dependents("two/a.ts")] == ["use.ts"]


def test_graph_is_that_of_the_whole_project(make_index):
    index, _ = make_index({"a.ts": "import './b'\n", "b.ts": "import './a'\nimport './gone'\n"})
    assert index.graph().cycles() == [("a.ts", "b.ts")]


def test_metrics_are_of_parsed_files_below_a_folder(make_index):
    index, _ = make_index({**MONEY, "src-old/a.ts": "1\n"})
    assert set(index.metrics("src")) == {"src/gone.ts", "src/pay.ts", "src/tax.ts"}
    assert set(index.metrics()) == {*index.metrics("src"), "src-old/a.ts"}
    assert index.metrics("src/tax.ts")["src/tax.ts"].cyclomatic_complexity == 2
    assert index.metrics("none") == {}


def test_todos_are_found_in_every_language_with_comments(make_index):
    index, _ = make_index({**MONEY, "ci.yml": "# FIXME(me): slow\na: 1\n", "README.md": "TODO\n"})
    found = {
        path: [(t.line, t.type, t.text) for t in todos] for path, todos in index.todos().items()
    }
    assert set(found) == {"ci.yml", "src/pay.ts"}
    assert found["src/pay.ts"] == [(2, "TODO", "round")]
    assert set(index.todos("src")) == {"src/pay.ts"}


def test_dump_has_the_documented_form(make_index):
    source = (
        "import { vat } from './tax'\nimport 'react'\nexport interface I { a: 1 }\ntype T = 1\n"
        "enum E { A }\nexport abstract class Bill<T> extends Base<T> implements I {\n"
        "  sum = 0\n  async pay(to: string, ...rest) { if (to) vat(1) }\n}\n"
        "export default async function run({ a }, b = 1) {}\n"
    )
    index, _ = make_index({**MONEY, "src/bill.ts": source})
    lines = [json.loads(json.dumps(item)) for item in index.dump()]
    assert [line["path"] for line in lines] == sorted({*MONEY, "src/bill.ts"})
    bill = next(line for line in lines if line["path"] == "src/bill.ts")
    assert bill.pop("hash") == index.facts("src/bill.ts").hash
    assert bill == {
        "path": "src/bill.ts",
        "language": "typescript",
        "size": len(source),
        "imports": [
            {"from": "./tax", "line": 1, "kind": "import", "resolved": "src/tax.ts"},
            {"from": "react", "line": 2, "kind": "side-effect", "resolved": None},
        ],
        "exports": ["I", "Bill", "default"],
        "functions": [
            {
                "name": "run",
                "lineStart": 10,
                "lineEnd": 10,
                "params": ["{ a }", "b"],
                "isAsync": True,
                "isExported": True,
            }
        ],
        "classes": [
            {
                "name": "Bill",
                "lineStart": 6,
                "lineEnd": 9,
                "extends": "Base<T>",
                "implements": ["I"],
                "isExported": True,
                "isAbstract": True,
                "methods": ["pay"],
                "properties": ["sum"],
            }
        ],
        "interfaces": [{"name": "I", "lineStart": 3, "lineEnd": 3}],
        "types": [{"name": "T", "lineStart": 4, "lineEnd": 4}],
        "enums": [{"name": "E", "lineStart": 5, "lineEnd": 5}],
        "complexity": {"loc": 10, "nestingDepth": 1, "cyclomaticComplexity": 2, "score": 39.0},
        "dependencies": ["src/tax.ts"],
        "dependents": [],
        "parseError": None,
    }
    tax = next(line for line in lines if line["path"] == "src/tax.ts")
    assert tax["dependents"] == ["src/bill.ts", "src/gone.ts", "src/pay.ts"]
    gone = next(line for line in lines if line["path"] == "src/gone.ts")
    assert gone["dependencies"] == ["src/tax.ts"]


def test_file_with_a_syntax_error_keeps_its_facts(make_index):
    index, _ = make_index({"a.ts": "export function whole() {}\nfunction (\n"})
    assert index.definitions("whole")
    assert next(index.dump())["parseError"] == "Syntax error at line 2."


def test_readers_see_the_old_index_while_a_new_one_is_made(make_index, open_index):
    files = {f"f{i}.ts": f"export const v{i} = 1\n" for i in range(300)}
    index, root = make_index(files)
    reader = open_index(root, scan_interval_s=60)
    reader.paths()
    seen = []

    def look(done, total):
        if done % 50 == 0:
            seen.append((len(reader.paths()), len(reader.definitions("v7")), total))

    index.refresh(full=True, progress=look)
    assert seen == [(300, 1, 300)] * 6
    assert not staged(index)


def test_cancelled_build_leaves_the_index_as_it_was(make_index):
    index, root = make_index(MONEY)
    before = contents(index)
    token = CancelToken()

    def stop(done, _total):
        if done == 2:
            token.cancel()

    with pytest.raises(Cancelled):
        index.refresh(full=True, progress=stop, cancel=token)
    assert contents(index) == before
    assert not staged(index)
    assert not index._stored.store.exists(index._stored.keys.lock)
    (root / "src/new.ts").write_text("")
    assert index.refresh().files == len(MONEY) + 1


def test_what_a_killed_build_left_is_cleared_away(make_index):
    index, _ = make_index(MONEY)
    stored = index._stored
    stored.store.hset(f"{stored.keys.staging(stored.keys.ast)}:0a0b", {"x": b""})
    index.refresh(full=True)
    assert not staged(index)


def test_waiting_for_another_kernel_can_be_cancelled(make_project, open_index):
    index = open_index(make_project(MONEY))
    stored = index._stored
    token = CancelToken()
    threading.Timer(0.3, token.cancel).start()
    with stored.store.lock(stored.keys.lock, timeout_s=30, wait_s=0):
        with pytest.raises(Cancelled):
            index.refresh(cancel=token)
        assert stored.files() == {}


def test_build_that_lost_its_lock_starts_again(make_index):
    """As after a long sleep of the machine: another kernel may have begun by then."""
    index, _ = make_index(MONEY)
    stored = index._stored
    steps = []

    def sleep(done, _total):
        steps.append(done)
        if len(steps) == 3:
            stored.store.delete(stored.keys.lock)

    index.refresh(full=True, progress=sleep)
    assert steps.count(1) == 2
    assert not staged(index)
    assert len(index.paths()) == len(MONEY)


def test_two_kernels_starting_at_once_read_each_file_once(make_project, open_index):
    root = make_project({f"f{i}.ts": f"export const v{i} = 1\n" for i in range(200)})
    old = time.time() - 100
    for path in root.iterdir():
        os.utime(path, (old, old))
    read = itertools.count()
    kernels = [open_index(root) for _ in range(3)]
    with ThreadPoolExecutor() as threads:
        started = [
            threads.submit(kernel.refresh, progress=lambda *_: next(read)) for kernel in kernels
        ]
    assert [start.result().files for start in started] == [200] * 3
    assert next(read) == 200


def test_questions_and_changes_at_once_are_safe(make_index):
    index, root = make_index({f"f{i}.ts": "export const v = 1\n" for i in range(20)})

    def work(number):
        for turn in range(5):
            new = root.parent / f"new{number}"
            new.write_text(f"export const v = {turn}\nexport const w = v\n")
            new.replace(root / f"f{number}.ts")
            index.touch([f"f{number}.ts"])
            assert len(index.definitions("v")) == 20
            assert index.references("v")
            assert index.facts(f"f{number}.ts").variables

    with ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(work, number) for number in range(4)]:
            done.result()
    before = contents(index)
    index.refresh(full=True)
    assert contents(index) == before


def test_workers_give_the_same_index_as_parsing_here(make_index):
    files = {f"f{i}.ts": f"export function f{i}() {{ return {i} }}\n" for i in range(30)}
    index, root = make_index({**files, **MONEY, "bad.ts": b"\xff", "data.csv": "a,b\n"})
    here = contents(index)
    with_workers = type(index)(
        index._upkeep._workspace,
        index._stored.store,
        index._settings.model_copy(update={"inline_bytes": 0, "workers": 2}),
    )
    steps = []
    with_workers.refresh(full=True, progress=lambda *step: steps.append(step))
    assert contents(with_workers) == here
    count = len(list(root.rglob("*.*")))
    assert steps == [(i + 1, count) for i in range(count)]


def test_any_executor_may_parse(make_index, open_index):
    index, root = make_index(MONEY)
    with ThreadPoolExecutor(2) as executor:
        other = open_index(root, inline_bytes=0, executor=executor)
        other.refresh(full=True)
        assert contents(other) == contents(index)
        assert executor.submit(int, "7").result() == 7


def test_batch_that_fails_in_an_executor_costs_only_its_facts(make_project, open_index):
    class Broken(ThreadPoolExecutor):
        def submit(self, fn, /, *args, **kwargs):
            del fn, args, kwargs
            return super().submit(lambda: 1 / 0)

    with Broken(1) as executor:
        index = open_index(make_project(MONEY), inline_bytes=0, executor=executor)
        assert index.refresh().files == len(MONEY)
        assert "division by zero" in index.facts("src/tax.ts").parse_error


def test_file_that_cannot_be_read_is_skipped_until_it_can(make_index):
    index, root = make_index(MONEY)
    os.truncate(root / "src/tax.ts", 40_000_000)
    assert "40 MB" in index.refresh().skipped["src/tax.ts"]
    assert index.facts("src/tax.ts") is None
    assert [d.path for d in index.dependencies("src/gone.ts") if d.exists] == ["src/tax.ts"]
    (root / "src/tax.ts").write_text(MONEY["src/tax.ts"])
    assert "src/tax.ts" not in index.refresh().skipped
    assert index.definitions("vat")


def test_file_that_vanishes_while_others_are_read_is_left_out(make_project, open_index):
    root = make_project({**MONEY, "zzz.ts": "export const last = 1\n"})
    index = open_index(root)
    report = index.refresh(progress=lambda *_: (root / "zzz.ts").unlink(missing_ok=True))
    assert report.files == len(MONEY)
    assert index.definitions("last") == []


def test_index_that_was_dropped_from_the_server_is_made_again(make_index):
    index, _ = make_index(MONEY)
    index._stored.store.delete(*index._stored.key_names)
    assert len(index.paths()) == len(MONEY)
    assert index.definitions("vat")


def test_index_of_another_version_is_made_again(make_index, open_index):
    index, root = make_index(MONEY)
    stored = index._stored
    stored.store.hset(stored.keys.index_info, {"format": b"older"})
    stored.store.hset(stored.keys.symbols, {"ghost": b"\x90"})
    open_index(root).refresh()
    assert "ghost" not in stored.symbol_names()


def test_touching_a_folder_takes_up_everything_in_it(make_index):
    index, root = make_index(MONEY)
    shutil.rmtree(root / "src")
    index.touch(["src"])
    assert index.paths() == ["README.md", "package.json"]
    assert index.definitions("vat") == []
    change_disk(root, "src/a.ts", "export const back = 1\n")
    index.touch(["src"])
    assert index.paths("src") == ["src/a.ts"]


def test_ignored_file_is_not_taken_up(make_index):
    index, root = make_index({".gitignore": "made.ts\n"})
    change_disk(root, "made.ts", "export const made = 1\n")
    index.touch(["made.ts"])
    assert index.definitions("made") == []
    change_disk(root, ".gitignore", "")
    index.touch([".gitignore"])
    assert index.definitions("made")


def test_many_changes_at_once_make_the_index_anew(make_project, open_index):
    files = {f"f{i}.ts": f"export const v{i} = 1\n" for i in range(1100)}
    root = make_project(files)
    index = open_index(root)
    index.refresh()
    for i in range(1100):
        (root / f"f{i}.ts").write_text(f"export const w{i} = 1\n")
    index.refresh()
    assert index.definitions("w1099")
    assert not index.definitions("v1099")


def test_empty_project_has_an_index(make_index):
    index, _ = make_index({})
    assert index.paths() == []
    assert index.summary().files == 0
    assert list(index.dump()) == []
    assert index.similar("a") == []
