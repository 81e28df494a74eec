"""Which parts of an index's shape a change of files changes."""

import pytest

from ipuaro_jupyter.index.storage.shapes import shape_changes
from ipuaro_jupyter.index.storage.shapes.shape_changes import ShapeChanges
from ipuaro_jupyter.index.storage.shapes.shape_parts import (
    declarations_of,
    exports_in,
    exports_of,
    file_at,
    importers_of,
    imports_in,
    numbers_of,
)

FILES = {
    "a.ts": "import { b } from './b'\nexport function a() {\n  return b\n}\n",
    "b.ts": "export const b = 1\n",
    "c.ts": "export * from './b'\n",
}


@pytest.mark.parametrize(
    ("path", "text", "changed", "kept"),
    [
        (
            "a.ts",
            FILES["a.ts"] + "function more() {}\n",
            [declarations_of("more")],
            [declarations_of("a"), imports_in("a.ts"), exports_in("a.ts")],
        ),
        (
            "a.ts",
            FILES["a.ts"] + "export function more() {}\n",
            [exports_in("a.ts"), exports_in("a.ts", "more"), exports_of("a.ts", "more")],
            [exports_in("a.ts", "a"), exports_of("a.ts", "a"), importers_of("b.ts", "b")],
        ),
        (
            "a.ts",
            "import { x } from './b'\n" + FILES["a.ts"],
            [imports_in("a.ts"), imports_in("a.ts", "x"), importers_of("b.ts", "x")],
            [imports_in("a.ts", "b"), importers_of("b.ts", "b"), importers_of("b.ts", "*")],
        ),
        (
            "a.ts",
            "import('./b')\n" + FILES["a.ts"],
            [importers_of("b.ts", "*")],
            [imports_in("a.ts", "b"), importers_of("b.ts", "b")],
        ),
        (
            "d.ts",
            "export { b as d } from './b'\n",
            [importers_of("b.ts", "b"), exports_in("d.ts", "d")],
            [importers_of("b.ts", "*"), exports_of("d.ts", "b"), declarations_of("b")],
        ),
        (
            "c.ts",
            None,
            [importers_of("b.ts", "*"), exports_in("c.ts", "*")],
            [importers_of("b.ts", "b"), imports_in("a.ts")],
        ),
        (
            "b.tsx",  # where the import leads is the same, and so is all that it gives
            "export const b = 2\n",
            [declarations_of("b"), exports_in("b.tsx", "b")],
            [imports_in("a.ts"), importers_of("b.ts", "b")],
        ),
        (
            "base.jsonc",
            "{}",
            [file_at("base.jsonc")],
            [file_at("a.ts"), file_at("base"), imports_in("a.ts")],
        ),
        ("b.ts", None, [file_at("b.ts")], [file_at("a.ts")]),
        ("a.ts", "\0" * 9, [file_at("a.ts")], [file_at("b.ts")]),
        ("a.ts", "", [declarations_of("a")], [file_at("a.ts")]),
        ("b.ts", None, [imports_in("a.ts", "b"), exports_in("b.ts", "b")], [exports_in("a.ts")]),
    ],
)
def test_a_change_changes_the_parts_that_it_is_about(make_index, path, text, changed, kept):
    index, root = make_index(FILES)
    before = index._sync.snapshot
    if text is None:
        (root / path).unlink()
    else:
        (root / path).write_text(text)
    index.refresh()
    found = index._sync.snapshot.changes.since(before.shape)
    assert found >= {*numbers_of(changed)}
    assert found.isdisjoint(numbers_of(kept))


@pytest.mark.parametrize("path", ["tsconfig.json", "sub/package.json"])
def test_after_a_change_of_configuration_anything_may_have_changed(make_index, path):
    index, root = make_index(FILES)
    before = index._sync.snapshot
    (root / path).parent.mkdir(exist_ok=True)
    (root / path).write_text("{}")
    index.refresh()
    after = index._sync.snapshot
    assert after.changes.since(before.shape) is None
    assert after.base == after.shape != before.shape


def test_the_changes_of_several_writes_add_up_also_for_the_next_kernel(make_index, open_index):
    index, root = make_index(FILES)
    shapes = [index._sync.snapshot.shape]
    for name in ("first", "second"):
        (root / f"{name}.ts").write_text(f"const {name} = 1\n")
        index.refresh()
        shapes.append(index._sync.snapshot.shape)
    state = open_index(root)._sync.snapshot
    assert state.base == shapes[0]
    first, second = ({*numbers_of([declarations_of(name)])} for name in ("first", "second"))
    assert state.changes.since(shapes[0]) >= first | second
    assert state.changes.since(shapes[1]) >= second
    assert state.changes.since(shapes[1]).isdisjoint(first)
    assert state.changes.since(shapes[2]) is None


def test_very_many_changes_are_not_kept(monkeypatch):
    monkeypatch.setattr(shape_changes, "_MOST_PARTS", 3)
    changes = ShapeChanges().with_step(b"1", [declarations_of("a"), declarations_of("b")])
    assert ShapeChanges.decoded(changes.encoded).since(b"1") == {
        *numbers_of([declarations_of("a"), declarations_of("b")])
    }
    assert changes.with_step(b"2", [declarations_of("c")]).since(b"1") is None


def test_very_many_writes_are_not_kept_either(monkeypatch):
    """As those that add or remove a file that is not indexed, which change no part."""
    monkeypatch.setattr(shape_changes, "_MOST_PARTS", 2)
    changes = ShapeChanges().with_step(b"1", []).with_step(b"2", [])
    assert changes.since(b"1") == frozenset()
    assert changes.with_step(b"3", []).since(b"1") is None
