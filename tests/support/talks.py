"""A conversation to record, and what is said of its replay."""

import subprocess

from ipuaro_jupyter.records.change import Decision

FILES = {
    "src/fee.ts": "export function fee(kg: number): number {\n  return kg * 2\n}\n",
    "src/use.ts": "import { fee } from './fee'\nexport const u = fee(1)\n",
    ".gitignore": "*.log\n",
}


def call(tool, **arguments):
    params = "".join(f"<{name}>{value}</{name}>" for name, value in arguments.items())
    return f'<tool_call name="{tool}">{params}</tool_call>'


def edit(line, content, path="src/fee.ts"):
    return call("edit_lines", path=path, start=line, end=line, content=content)


READ = call("get_lines", path="src/fee.ts")

REPLIES = [
    f"I will look.\n{READ}\n{call('find_references', symbol='fee')}",
    edit(2, "  return kg * 3"),
    edit(1, "export function fee(): number {"),
    call("run_command", command="cat src/fee.ts; date +%s%N; pwd"),
    call("git_status"),
    "It is three times as much now.",
    call("create_file", path="src/new.ts", content="export const fresh = 1\n"),
    call("run_command", command="rm -rf src"),
    call("get_structure"),
    "There is a new file.",
]

ANSWERS = [
    Decision(action="apply"),
    Decision(action="reject", reason="keep its parameter"),
    Decision(action="apply", remember=True),
    Decision(action="apply", text="export const fresh = 'mine'\n"),
]


def git(root, *arguments):
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout


def outcomes(report):
    return [(one.call.name, one.outcome) for one in report.calls]
