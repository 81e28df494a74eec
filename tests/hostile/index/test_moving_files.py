"""Files of Go, Rust and Java come, go and change at random: the index is that of a fresh start."""

import random
import shutil

import pytest
from index_contents import everything_in

STEPS = 30
CRATE = '[package]\nname = "{}"\n[lib]\npath = "{}"\n[dependencies]\n'
PLACES = {
    "java": [
        *("src/main/java/com/a", "src/main/java/com/a/b", "src/test/java/com/a", "src/x", "com/a"),
        *("odd", "", "odd/com"),
    ],
    "rust": ["src", "src/a", "src/a/b", "src/bin", "tests", "crates/x/src", "crates/x/src/a", ""],
    "go": ["", "a", "a/b", "internal/c", "vendor/far.org/d", "sub", "sub/a"],
}
NAMES = {
    "java": ["A.java", "B.java", "C.java", "List.java"],
    "rust": ["lib.rs", "main.rs", "mod.rs", "a.rs", "b.rs", "c.rs", "x.rs"],
    "go": ["a.go", "b.go", "a_test.go", "doc.go"],
}
LINES = {
    "java": [
        *("import com.a.A;", "import com.a.b.*;", "import com.a.b.B;", "import java.util.List;"),
        *("import static com.a.C.go;", "import com.x.*;", "import com.x.List;"),
    ],
    "rust": [
        *("mod a;", "pub mod b;", '#[path = "c.rs"] mod d;', "use crate::a::b::f;", "mod x;"),
        *("use super::a::f;", "use x::a::f;", "pub use self::b::*;", "use y::f;", "use crate::c;"),
    ],
    "go": [
        *('import "m.org/m/a"', 'import b "m.org/m/a/b"', 'import _ "m.org/m"', 'import "fmt"'),
        *('import "far.org/d"', 'import "m.org/sub/a"', 'import . "m.org/m/internal/c"'),
    ],
}
CONFIGS = {
    "java": [("pom.xml", "<project/>\n")],
    "rust": [
        ("Cargo.toml", CRATE.format("m", "src/lib.rs")),
        ("Cargo.toml", CRATE.format("m", "src/x.rs") + 'y = { package = "x", path = "../x" }'),
        ("crates/x/Cargo.toml", CRATE.format("x", "src/lib.rs")),
        ("crates/x/Cargo.toml", CRATE.format("y", "src/a.rs")),
    ],
    "go": [
        ("go.mod", "module m.org/m\n"),
        ("go.mod", "module m.org/m\nreplace far.org/d => ./sub/a\n"),
        ("sub/go.mod", "module m.org/sub\n"),
        ("go.work", "go 1.22\nuse (\n\t.\n\t./sub\n)\n"),
    ],
}


def text_of(language, name, chosen):
    lines = chosen.sample(LINES[language], 3)
    if language == "java":
        package = chosen.choice(["com.a", "com.a.b", "com.x", "", "com /* odd */ . a"])
        head = [f"/* package no; */ package {package};"] if package else []
        body = f"public class {name.removesuffix('.java')} {{ A a; B b; C c; List l; }}"
        return "\n".join([*head, *lines, body])
    if language == "go":
        return "\n".join(["package a", *lines, f"func F{chosen.randrange(3)}() {{}}"])
    return "\n".join([*lines, "pub fn f() { crate::b::f(); x::f() }"])


def edit(root, language, chosen):
    """Do something to the files, if it is possible now."""

    def place():
        return root / chosen.choice(PLACES[language]) / chosen.choice(NAMES[language])

    path, what = place(), chosen.random()
    if what < 0.1:
        name, text = chosen.choice(CONFIGS[language])
        path = root / name
    else:
        text = text_of(language, path.name, chosen)
    if what < 0.6:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    elif what < 0.75:
        path.unlink(missing_ok=True)
    elif what < 0.8 and path.parent != root:
        shutil.rmtree(path.parent, ignore_errors=True)
    elif path.is_file():
        target = place()
        target.parent.mkdir(parents=True, exist_ok=True)
        path.rename(target)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("language", PLACES)
def test_imports_are_those_of_a_fresh_start(tmp_path, open_index, language, seed):
    chosen = random.Random(seed)
    index, fresh = open_index(tmp_path), open_index(tmp_path)
    edges = 0
    for step in range(STEPS):
        for _ in range(chosen.choice([1, 1, 2, 5])):
            edit(tmp_path, language, chosen)
        index.refresh()
        if step % 3 == 2:
            found = everything_in(index)
            fresh.refresh(full=True)
            assert found == everything_in(fresh), step
            edges += len(found[index._stored.keys.dependents])
    assert edges
