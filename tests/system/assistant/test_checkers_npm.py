"""vue-tsc and pyright as they really are, installed from the npm registry."""

import os
import shutil
import subprocess

import pytest

from ipuaro_jupyter.records.change import Decision

pytestmark = pytest.mark.npm

PACKAGES = ("typescript@5.9.3", "vue@3.5.13", "vue-tsc@3.1.1", "pyright@1.1.414")
CONFIG = """\
{
  // as create-vue writes it
  "compilerOptions": {
    "target": "ES2022", "module": "ESNext", "moduleResolution": "bundler", "strict": true,
    "jsx": "preserve", "skipLibCheck": true, "lib": ["ES2022", "DOM"], %s
  },
  "include": ["src/**/*.ts", "src/**/*.vue"],
}
"""
VUE = {
    "package.json": '{"name": "greeter", "private": true, "type": "module"}',
    "src/greet.ts": "export function greet(name: string): string {\n  return `Hi ${name}`;\n}\n",
    "src/Child.vue": '<script setup lang="ts">\ndefineProps<{ label: string }>();\n</script>\n'
    "<template><b>{{ label }}</b></template>\n",
    "src/App.vue": '<script setup lang="ts">\nimport { greet } from "./greet";\n'
    'import Child from "./Child.vue";\nconst text = greet("Ada");\n</script>\n'
    '<template><Child :label="text" /></template>\n',
    "src/Plain.vue": "<script setup>\nconst n = 1;\n</script>\n<template>{{ n }}</template>\n",
    ".gitignore": "node_modules\n",
}
PYTHON = {
    "pyrightconfig.json": '{"pythonVersion": "3.11"}',
    "app/__init__.py": "",
    "app/shapes.py": "def area(width: int) -> int:\n    return width * 2\n",
    "app/use.py": "from app.shapes import area\n\nTOTAL: int = area(3)\n",
    ".gitignore": "node_modules\n",
}


@pytest.fixture(scope="module")
def node_modules(tmp_path_factory):
    """Install the checkers once for all tests."""
    if shutil.which("npm") is None:
        assert not os.environ.get("CI"), "CI needs npm."
        pytest.skip("npm is not installed")
    folder = tmp_path_factory.mktemp("npm")
    (folder / "package.json").write_text('{"name": "checkers", "private": true}')
    argv = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", *PACKAGES]
    for source in ("--prefer-offline", "--prefer-online"):  # what npm has kept may be too old
        done = subprocess.run(
            [*argv, source], cwd=folder, capture_output=True, text=True, timeout=120, check=False
        )
        if done.returncode == 0:
            break
    assert done.returncode == 0, done.stderr
    return folder / "node_modules"


@pytest.fixture
def checked(make_project, node_modules, open_assistant):
    """Give a function that opens a project, and returns one that checks a change of a file."""

    def make(files):
        root = make_project(files)
        shutil.copytree(node_modules, root / "node_modules", symlinks=True)
        reports = []

        def confirm(proposal):
            reports.append(proposal.checked)
            return Decision(action="check" if proposal.checked is None else "reject")

        assistant = open_assistant(root, [], confirm=confirm)

        def change(path, target, patch):
            edit = {"filepath": path, "target": target, "patch": patch}
            assistant.call("update_file", edit)
            return reports[-1]

        return change

    return make


@pytest.mark.parametrize("is_built", [False, True])
def test_vue_components_are_checked_by_vue_tsc(checked, is_built):
    if is_built:
        solution = '{ "files": [], "references": [{ "path": "./tsconfig.app.json" }] }'
        app = CONFIG % '"composite": true, "noEmit": true'
        change = checked({**VUE, "tsconfig.json": solution, "tsconfig.app.json": app})
    else:
        change = checked({**VUE, "tsconfig.json": CONFIG % '"noEmit": true'})
    report = change("src/greet.ts", "Hi", "Hello")
    assert report.verdict == "passed", report.lines
    report = change("src/greet.ts", "name: string", "name: number")
    assert report.verdict == "failed"
    assert report.lines[1].startswith("src/App.vue:4: Argument of type 'string'")
    report = change("src/Child.vue", "label: string", "label: number")
    assert report.lines[1].startswith("src/App.vue:6: Type 'string'")
    report = change("src/Plain.vue", "= 1", "= 2")
    assert report.verdict == "unknown", "no types are looked for in plain JavaScript"


def test_python_is_checked_by_pyright(checked):
    change = checked(PYTHON)
    report = change("app/shapes.py", "* 2", "* 3")
    assert report.verdict == "passed", report.lines
    report = change("app/shapes.py", "width: int", "width: str")
    assert report.verdict == "failed"
    assert report.lines[0].startswith("types: 2 new errors")
    assert report.lines[2].startswith('app/use.py:3: Argument of type "Literal[3]"')
    report = change("app/shapes.py", "def area", "# pyright: basic\ndef area")
    assert report.verdict == "unknown"
