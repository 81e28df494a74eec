"""Changes are taken up as they happen, at once when somebody asks, and all of them."""

import subprocess
import sys
import textwrap

EDITOR = textwrap.dedent(
    """
    import random, sys, time
    from pathlib import Path
    import ipuaro_jupyter
    root, name = Path(sys.argv[1]), sys.argv[2]
    model = ipuaro_jupyter.ScriptedModel([])
    with ipuaro_jupyter.start(root, model=model, new=True, auto_apply=True) as assistant:
        rng = random.Random(name)
        for turn in range(25):
            path = f"src/{name}{rng.randrange(5)}.ts"
            text = f"import './{rng.choice('ab')}{rng.randrange(5)}'\\n"
            text += f"export const {name}{turn} = 1\\n"
            if rng.random() < 0.2:
                (root / path).unlink(missing_ok=True)
            elif rng.random() < 0.5:
                (root / path).write_text(text)
            else:
                assistant.call("create_file", {"path": f"src/{name}new{turn}.ts", "content": text})
            if rng.random() < 0.5:
                assistant.call("find_references", {"symbol": f"{name}{turn}"})
    """
)


def test_two_kernels_that_edit_keep_one_index(make_project, open_index, contents):
    root = make_project({f"src/{n}{i}.ts": "" for n in "ab" for i in range(5)})
    command = [sys.executable, "-W", "ignore", "-c", EDITOR, str(root)]
    editors = [subprocess.Popen([*command, name]) for name in "ab"]
    assert [editor.wait(100) for editor in editors] == [0, 0]
    index = open_index(root)
    index.refresh()
    by_and_by = contents(index)
    index.refresh(full=True)
    assert by_and_by == contents(index)
    assert any("new" in path for path in index.paths())
