"""Which changes of files leave the shape of the index as it is."""

import pytest

FILES = {
    "a.ts": "import { b } from './b'\nexport function a() {\n  return b\n}\n",
    "b.ts": "export const b = 1\n",
    "notes.md": "# Notes\n",
}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.ts", FILES["a.ts"].replace("return b", "return b + b")),
        ("a.ts", f"// a comment\n\n{FILES['a.ts']}"),
        ("a.ts", FILES["a.ts"].replace("return b", "const c = b\n  return c")),
        ("b.ts", "export const b = [1, 2].length\n"),
        ("notes.md", "# Other notes\n"),
    ],
)
def test_an_edit_inside_of_a_declaration_keeps_the_shape(make_index, path, text):
    index, root = make_index(FILES)
    before = index._sync.snapshot
    (root / path).write_text(text)
    index.refresh()
    after = index._sync.snapshot
    assert after.generation != before.generation
    assert after.shape == before.shape != b""


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.ts", FILES["a.ts"].replace("a()", "c()")),
        ("a.ts", "import { b } from './b'\nexport const a = b\n"),
        ("a.ts", FILES["a.ts"].replace("{ b }", "{ b as c }")),
        ("a.ts", FILES["a.ts"].replace("'./b'", "'./c'")),
        ("a.ts", FILES["a.ts"] + "export default a\n"),
        ("a.ts", FILES["a.ts"] + "class C { m() {} }\n"),
        ("a.ts", None),
        ("c.ts", "1\n"),
        ("notes.md", None),
        ("a.ts", "\0" * 9),
        ("tsconfig.json", '{"compilerOptions": {"paths": {"./b": ["./a.ts"]}}}\n'),
    ],
)
def test_other_changes_make_another_shape(make_index, path, text):
    index, root = make_index(FILES)
    before = index._sync.snapshot
    if text is None:
        (root / path).unlink()
    else:
        (root / path).write_text(text)
    index.refresh()
    assert index._sync.snapshot.shape != before.shape


def test_the_next_kernel_knows_the_shape(make_index, open_index):
    index, root = make_index(FILES)
    before = index._sync.snapshot
    (root / "a.ts").write_text(f"\n{FILES['a.ts']}")
    later = open_index(root)
    later.refresh()
    assert later._sync.snapshot.shape == before.shape
    later.refresh(full=True)
    assert later._sync.snapshot.shape not in (before.shape, b"")
