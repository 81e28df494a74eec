"""The imports that a new text needs: from where, how they are written, where they stand."""

import pytest

from ipuaro_jupyter.agent.changing.added_imports import added_imports
from ipuaro_jupyter.index.declared_lines import Declarations
from ipuaro_jupyter.tools.replace_symbol import Replacement
from ipuaro_jupyter.workspace.changes.line_moves import LineSpan
from ipuaro_jupyter.workspace.files.text_file import TextFile

FILES = {
    "pkg/__init__.py": "",
    "pkg/fees.py": '"""Fees."""\n\n\ndef fee(kg):\n    return kg\n',
    "pkg/rates.py": "import os\n\n\ndef rate_of(day):\n    return os.cpu_count()\n",
    "pkg/shop.py": "from .rates import rate_of\n\n\ndef shop():\n    return rate_of(1)\n",
    "pkg/net.py": "def net(reply):\n    return reply.json()\n",
    "tools/run.py": "#!/usr/bin/env python\n\ndef run():\n    return 1\n",
    "web/log.ts": "export function logged(text: string) {}\n\nexport const LEVEL = 1\n",
    "web/app.ts": "import { LEVEL } from './log'\n\nexport function app() {\n  return LEVEL\n}\n",
    "web/bare.ts": "export function bare() {\n  return 1;\n}\n",
    "web/types.ts": "export interface Cart {\n  size: number\n}\n",
    "web/Row.tsx": "export function Row() {\n  return null\n}\n",
    "web/List.tsx": "import { LEVEL } from './log'\n\nexport const List = () => LEVEL\n",
    "web/Shop.vue": """<script setup lang="ts">
import {
  LEVEL,
} from './log'

function shop() {
  return LEVEL
}
</script>
""",
    "package.json": '{"dependencies": {"lodash": "4", "@floating-ui/dom": "1"}}\n',
    "old/log.js": "exports.logLine = function logLine() {}\n",
    "old/app.js": "const fs = require('fs');\n\nfunction main() {\n  return 1;\n}\n",
}


@pytest.fixture
def imports(make_project, open_assistant):
    """Return the imports that a new text of a function needs in a file, and the place."""

    def of(path, text, code=""):
        root = make_project(FILES)
        index = open_assistant(root, []).project().index
        file = TextFile.of(path, (root / path).read_bytes(), 0o644)
        found = Declarations(path, file.data)
        last = found.exactly(found.names[-1])[0]
        made = Replacement(LineSpan(last.comments, last.end), text, b"", ())
        return added_imports(file, made, code or text, index)

    return of


PYTHON = "def f(kg):\n    return {}\n"
TYPESCRIPT = "export function f() {{\n  return {};\n}}\n"


@pytest.mark.parametrize(
    ("path", "uses", "code", "line", "added"),
    [
        ("pkg/fees.py", "math.floor(kg)", "import math", 2, "\nimport math\n"),
        ("pkg/rates.py", "js.dumps(kg)", "import json as js", 2, "import json as js\n"),
        (
            "pkg/rates.py",
            "floor(kg)",
            "from math import floor, ceil",
            2,
            "from math import floor\n",
        ),
        ("pkg/net.py", "json.dumps(kg)", "import json", 1, "import json\n\n"),
        ("pkg/fees.py", "rate_of(kg)", "", 2, "\nfrom .rates import rate_of\n"),
        ("tools/run.py", "rate_of(kg)", "", 2, "\nfrom pkg.rates import rate_of\n"),
        ("web/app.ts", "logged('a')", "", 2, "import { logged } from './log'\n"),
        ("web/bare.ts", "logged('a')", "", 1, 'import { logged } from "./log";\n\n'),
        ("old/app.js", "logged(1)", "", 2, "const { logged } = require('../web/log.js');\n"),
        ("web/app.ts", "chunk([1])", "import { chunk } from 'lodash'", 2, None),
        ("web/app.ts", "place()", "import place from '@floating-ui/dom/src'", 2, None),
        ("web/app.ts", "1 as Cart", "import type { Cart } from './types'", 2, None),
        (
            "web/app.ts",
            "new Map<string, Cart>()",
            "import type { Cart } from './types.js'",
            2,
            None,
        ),
        (
            "web/app.ts",
            "{ a: null as unknown as Cart | Cart }",
            "",
            2,
            "import type { Cart } from './types'\n",
        ),
        ("web/List.tsx", "<Row>1</Row>", "", 2, "import { Row } from './Row'\n"),
        ("web/Shop.vue", "join(1)", "import { join } from 'node:path'", 5, None),
        ("web/Shop.vue", "logged('a')", "", 5, "import { logged } from './log'\n"),
        ("web/app.ts", "join(1)", "import { join } from 'node:path'", 2, None),
    ],
)
def test_what_the_file_lacks_is_imported_as_it_imports(imports, path, uses, code, *, line, added):
    text = (PYTHON if path.endswith(".py") else TYPESCRIPT).format(uses)
    found = imports(path, text, f"{code}\n\n{text}")
    assert (found.line, found.text, found.problem) == (line, added or f"{code}\n", "")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "pkg/fees.py",
            "def fee(kg):\n    total = sum([kg])\n    return [len(x) for x in [total]]",
        ),
        ("pkg/rates.py", "def rate_of(day):\n    return os.getpid()"),
        ("pkg/fees.py", 'def fee(kg):\n    """Not rate_of(1)."""\n    return kg'),
        ("web/app.ts", "export function app(logged: () => void) {\n  logged()\n}"),
        ("web/app.ts", "export function app() {\n  return Math.max(LEVEL, 1).toFixed()\n}"),
        ("web/app.ts", "export function app() {\n  return unknown(1)\n}"),
    ],
)
def test_what_is_there_or_of_the_language_is_not_imported(imports, path, text):
    found = imports(path, text)
    assert (found.line, found.text, found.problem) == (0, "", "")


def test_a_file_that_is_no_module_requires(imports):
    text = "exports.logLine = function logLine() {\n  return join(1)\n}"
    found = imports("old/log.js", text, f'import {{ join }} from "node:path"\n{text}')
    assert found.text == 'const { join } = require("node:path")\n\n'


def test_a_name_of_python_that_nothing_has_is_told(imports):
    found = imports("pkg/fees.py", "def fee(kg):\n    return rounded(kg)")
    assert found.problem == "`rounded` is not known in pkg/fees.py."


@pytest.mark.parametrize("source", ["moment", "./none", "@none/dom"])
def test_an_import_of_a_module_that_is_not_there_is_told(imports, source):
    text = "export function app() {\n  return day(1)\n}"
    found = imports("web/app.ts", text, f"import {{ day }} from '{source}'\n\n{text}")
    assert found.problem == f"`day` is imported from '{source}', which is not there."


def test_an_import_of_a_package_that_the_project_does_not_have_is_told(imports):
    text = "def fee(kg):\n    return numpy.floor(kg)"
    assert imports("pkg/fees.py", text, f"import numpy\n\n{text}").problem
