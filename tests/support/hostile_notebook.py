"""A notebook with every kind of record, in which all that can be chosen by others is hostile.

A real kernel runs it, whose model is a local server; a program decides what the user would.
"""

import subprocess

import nbformat
from kernels import Kernel
from ollama_server import Fault, OllamaServer

# Ends what it stands in, runs, loads, and hides.
HOSTILE = (
    '</pre></code></details></style></div><script>document.title = "run"</script>'
    '<img src="https://evil.example/a.png" onerror="document.title = 1"> " \' &amp; \u202e'
)
IN_MARKDOWN = (
    "\n\n![p](https://evil.example/b.png)\n\n[j](javascript:document.title=2)\n\n"
    '<link rel="stylesheet" href="https://evil.example/c.css">\n\n'
    "- one\n- two\n\n```ts\nconst a = 1;\n\n![p](https://evil.example/d.png)\n```\n"
)
FILE = "src/<img src=x onerror=alert(1)>.ts"
CODE = f"""\
// TODO: {HOSTILE}
export function f(a: number) {{

  ![p](https://evil.example/e.png)
  return a ? 1 : 2;
}}
"""
MODEL = "qwen2.5-coder:7b-instruct"
APPLY = {"action": "apply", "text": None}
REJECT = {"action": "reject", "reason": f"No. {HOSTILE}"}
RETRY = {"action": "retry"}


def call(tool, **arguments):
    """Return a reply that calls a tool."""
    given = "".join(f"<{name}><![CDATA[{text}]]></{name}>" for name, text in arguments.items())
    return f'<tool_call name="{tool}">{given}</tool_call>'


EDIT = call("edit_lines", path=FILE, start="1", end="1", content=f"// NOTE: {HOSTILE}")
CREATE = call("create_file", path="src/<b>new.ts", content=CODE)
DELETE = call("delete_file", path="src/<b>new.ts")
COMMIT = call("git_commit", message=f"Say {HOSTILE}", files=f'["{FILE}"]')
COMMAND = call("run_command", command="printf '%s\\n\\n%s' '<script>alert(1)</script>' end")
LOOKS = "".join(call("get_lines", path=FILE) + call("get_structure") for _ in range(2))
SAID = f"Read **it**. {HOSTILE}{IN_MARKDOWN}"


def cells(fault):
    """Return each cell, the model's replies to it, and what the user decides; "stop" stops it."""
    half = ["Half an answer", fault("disconnect")]
    return [
        (f"%%ask\nLook at it. {HOSTILE}", [[LOOKS], [SAID]], None),
        ("%%ask\nEdit it.", [[f"I edit. {EDIT}"], [SAID]], APPLY),
        ("%%ask\nEdit it again.", [[EDIT.replace("NOTE", "HACK")], ["As you wish."]], REJECT),
        ("%%ask\nMake one.", [[CREATE], ["Made."]], APPLY),
        ("%%ask\nDelete it.", [[DELETE], ["Deleted."]], APPLY),
        ("%%ask\nCommit.", [[COMMIT], ["Committed."]], APPLY),
        ("%%ask\nRun it.", [[COMMAND], ["It has run."]], APPLY),
        ("%%ask\nChange two files.", [[EDIT.replace("NOTE", "XXX") + CREATE], ["Both."]], APPLY),
        ("%%ask\nBreak.", [half, ["Mended."]], RETRY),
        ("%%ask\nBreak for good.", [half], {"action": "abort"}),
        ("%%ask\nGo on for ever.", [["For ever and ever. ", fault("hang")]], "stop"),
        ("%%ask\nWhat is $`nothing <b>`?", [["Nothing."]], None),
        ("%ipuaro status", [], None),
        ("%ipuaro sessions", [], None),
        ("%ipuaro complexity", [], None),
        ("%ipuaro todos", [], None),
        ("%ipuaro diff", [], None),
        ("%ipuaro allow", [], None),
        ("%ipuaro config", [], None),
        ("%ipuaro help", [], None),
        (f'%tool get_lines path="{FILE}"', [], None),
        ("%tool get_structure", [], None),
        ("%tool git_status", [], None),
        ("%tool git_diff", [], None),
        ("%tool find_definition f", [], None),
        ("%tool find_references f", [], None),
        (f'%tool get_dependents path="{FILE}"', [], None),
        ("%ipuaro graph", [], None),
        ('%tool get_lines path="<b>none.ts"', [], None),
        ("%ipuaro undo", [], APPLY),
    ]


SHOWN = {
    "Read it.": "the answer of a turn with calls",
    "Half an answer": "a turn that broke",
    "For ever and ever.": "a stopped turn",
    "Stopped": "how it ended",
    "Retried": "the remedy of an error",
    "sent as typed": "a notice",
    "As you wish.": "a rejected proposal",
    "files changed": "the files of a turn",
    "get_lines failed": "a failed tool",
    "Branch <i>main": "the state of git",
    "Sessions": "the list of sessions",
    "Approval": "the status",
    "document.title": "what was hostile, as text",
    "onerror": "the name of the file, as text",
}
"""Words that are there however the notebook is shown, and of what they are."""


def make(folder):
    """Return the path of the notebook, run in ``folder``."""
    root = folder / "project"
    (root / "src").mkdir(parents=True)
    (root / FILE).write_text(CODE)
    (root / "src/plain.ts").write_text("import { f } from './x';\nexport const b = f(1);\n")
    for words in (("init", "-q", "-b", "<i>main"), ("add", "."), ("commit", "-q", "-m", "first")):
        author = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *author, *words], cwd=root, check=True)
    subprocess.run(["git", "config", "user.name", "A"], cwd=root, check=True)
    subprocess.run(["git", "config", "user.email", "a@example.org"], cwd=root, check=True)
    server = OllamaServer()
    server.add_model(MODEL)
    server.start()
    kernel = Kernel(folder)
    try:
        kernel.run(f"import os; os.environ['OLLAMA_HOST'] = {server.url!r}")
        kernel.run("%load_ext ipuaro_jupyter")
        start = f"%ipuaro start {root} --model {MODEL}"
        made = [_cell(start, kernel.run(start))]
        for source, replies, decide in cells(Fault):
            server.replies[:] = replies
            made.append(_cell(source, _run(kernel, source, decide)))
    finally:
        kernel.stop()
        server.stop()
    notebook = nbformat.v4.new_notebook(
        cells=made, metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    )
    path = folder / "hostile.ipynb"
    nbformat.write(notebook, path)
    return path


def _run(kernel, source, decide):
    pressed = []

    def press(message):
        text = message["content"].get("data", {}).get("text/plain", "")
        if "For ever" in text and not pressed:
            pressed.append(True)
            kernel.manager.interrupt_kernel()

    stops = decide == "stop"
    return kernel.run(source, decide=None if stops else decide, on_message=press if stops else None)


def _cell(source, ran):
    outputs = []
    for one in ran.outputs:
        kept = {key: value for key, value in one.items() if key not in {"type", "transient"}}
        outputs.append(nbformat.v4.new_output(one["type"], **kept))
    return nbformat.v4.new_code_cell(source, outputs=outputs, execution_count=1)
