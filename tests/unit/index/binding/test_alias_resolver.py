"""Uses and declarations are found through modules that import one another, in every question."""

import pytest

pytestmark = pytest.mark.timeout(20)

TYPESCRIPT = {
    "a star beside a namespace of the star": {
        "a.ts": "export const D = 1\nexport * as ns from './b'\n",
        "b.ts": "export * from './a'\n",
        "use.ts": "import { D, ns } from './b'\nD; ns.D; ns.ns.D; ns.ns.ns.ns.D\n",
    },
    "namespaces of one another": {
        "a.ts": "import * as b from './b'\nexport const D = 1\nexport { b }\n",
        "b.ts": "import * as a from './a'\nexport { a }\n",
        "use.ts": "import { a } from './b'\na.D; a.b.a.D; a.b.a.b.a.D\n",
    },
    "a file that re-exports itself": {
        "a.ts": "export const D = 1\nexport * as self from './a'\nexport * from './a'\n",
        "use.ts": "import { D, self } from './a'\nD; self.D; self.self.self.D\n",
    },
    "a namespace of itself that is a default": {
        "a.ts": "import * as all from './a'\nexport const D = 1\nexport { all as default }\n",
        "use.ts": "import a from './a'\na.D; a.default.D; a.default.default.D\n",
    },
    "a circle of three with two namespaces": {
        "a.ts": "export const D = 1\nexport * as x from './b'\nexport * as y from './c'\n",
        "b.ts": "export * from './c'\nexport * as x from './a'\n",
        "c.ts": "export * from './a'\nexport * as y from './b'\n",
        "use.ts": "import { D, x, y } from './c'\nD; x.D; y.x.y.D; x.y.x.y.x.D\n",
    },
    "a package that imports itself by name": {
        "package.json": '{"name": "kit", "exports": "./src/a.ts"}',
        "src/a.ts": "export const D = 1\nexport * as kit from 'kit'\nexport * from './b'\n",
        "src/b.ts": "export * as all from 'kit'\n",
        "use.ts": "import { D, all, kit } from 'kit'\nD; kit.D; all.kit.all.D; kit.kit.D\n",
    },
}

PYTHON = {
    "stars of two modules that import one another": {
        "p/__init__.py": "from ._a import *\nfrom ._b import *\n",
        "p/_a.py": "from . import _b\nD = 1\n",
        "p/_b.py": "from ._a import *\n",
        "use.py": "import p\nfrom p import D, _b\nD; p.D; p._b.D; _b._b.D; p._b._b._b.D\n",
    },
    "absolute imports of one's own package": {
        "p/__init__.py": "from p.a import *\n",
        "p/a.py": "import p\nfrom p import b\nD = 1\n",
        "p/b.py": "from p import *\nimport p.a as a\n",
        "use.py": "from p import D, b\nD; b.D; b.a.D; b.a.b.a.b.a.D\n",
    },
    "a module that imports itself": {
        "m.py": "import m\nfrom m import *\nD = 1\n",
        "use.py": "import m\nfrom m import D\nD; m.D; m.m.D; m.m.m.m.D\n",
    },
    "a package that imports itself relatively": {
        "p/__init__.py": "from . import a\nfrom .a import *\n",
        "p/a.py": "from .. import p\nfrom . import a\nD = 1\n",
        "use.py": "from p import D, a\nD; a.D; a.a.D; a.a.a.a.D\n",
    },
    "modules under other names": {
        "p/__init__.py": "from . import x as y, y as x\n",
        "p/x.py": "from . import y as x\nfrom .y import *\nD = 1\n",
        "p/y.py": "from . import x as y\nfrom .x import *\n",
        "use.py": "from p.y import D, y\nD; y.D; y.x.y.D; y.x.y.x.y.D\n",
    },
}


@pytest.mark.parametrize("files", TYPESCRIPT.values(), ids=TYPESCRIPT)
def test_uses_are_found_in_circles_of_typescript(make_index, files):
    _assert_all_are_found(make_index, files, "use.ts")


@pytest.mark.parametrize("files", PYTHON.values(), ids=PYTHON)
def test_uses_are_found_in_circles_of_python(make_index, files):
    _assert_all_are_found(make_index, files, "use.py")


def _assert_all_are_found(make_index, files, path):
    index, _ = make_index(files)
    found = index.references("D", path=path)
    assert all(reference.resolved for reference in found), found
    assert len(found) == files[path].count("D")
    assert len(index.definitions("D")) == 1


def test_a_name_behind_hundreds_of_stars_is_found(make_index):
    files = {f"m{n}.ts": f"export const c{n} = 1\n" for n in range(300)}
    files["all.ts"] = "".join(f"export * from './m{n}'\n" for n in range(300))
    files["use.ts"] = "import { c299 } from './all'\nc299\n"
    index, _ = make_index(files)
    found = index.references("c299")
    assert [(r.path, r.line, r.resolved) for r in found] == [
        ("m299.ts", 1, True),
        ("use.ts", 1, True),
        ("use.ts", 2, True),
    ]


def test_a_name_behind_a_long_chain_of_stars_is_found(make_index):
    files = {f"m{n}.ts": f"export * from './m{n + 1}'\n" for n in range(400)}
    files |= {"m400.ts": "export const D = 1\n", "use.ts": "import { D } from './m0'\nD\n"}
    index, _ = make_index(files)
    assert [r.path for r in index.references("D") if r.resolved] == ["m400.ts", "use.ts", "use.ts"]
