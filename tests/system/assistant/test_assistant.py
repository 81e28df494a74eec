"""The public API, as a program uses it."""

import subprocess
import sys


def test_a_script_without_a_main_guard_works(make_project, tmp_path):
    files = {f"src/f{n}.ts": "export const x = 1 // " + "x" * 900 + "\n" for n in range(3)}
    files["src/big.ts"] = "export function f() { return 1 }\n" * 30_000
    root = make_project({**files, "src/big2.ts": "export const y = { a: 1 }\n" * 50_000})
    script = tmp_path / "script.py"
    script.write_text(
        f"import ipuaro_jupyter\nprint('started')\n"
        f"a = ipuaro_jupyter.start({str(root)!r})\nprint(a.status().files)\na.close()\n"
    )
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.split() == ["started", "5"], done.stderr
