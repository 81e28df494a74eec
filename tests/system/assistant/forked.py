"""Fork a process that has a project open, after a change; print what parent and child are told.

forked.py ROOT
"""

import os
import sys
from pathlib import Path

import ipuaro_jupyter
from ipuaro_jupyter.errors import IpuaroError
from ipuaro_jupyter.llm.scripted import ScriptedModel

root = Path(sys.argv[1])
assistant = ipuaro_jupyter.start(root, model=ScriptedModel([]))


def tell(what, ask):
    """Print an answer, or the error."""
    try:
        sys.stdout.write(f"{what} {ask()}\n")
    except IpuaroError as error:
        sys.stdout.write(f"{what} {type(error).__name__} {str(error).partition(',')[0]}\n")
    sys.stdout.flush()


def defined(name):
    """Return the number of definitions of a name, or the error's message."""
    result = assistant.call("find_definition", {"symbol": name})
    if result.success:
        return len(result.output.definitions)
    return result.error.message.partition(",")[0]


(root / "a.ts").write_text("export const later = 1\n")
child = os.fork()
if not child:
    tell("call", lambda: defined("later"))
    tell("status", assistant.status)
    tell("reindex", assistant.reindex)
    tell("ask", lambda: assistant.ask("What is later?"))
    assistant.close()
    os._exit(0)
os.waitpid(child, 0)
tell("parent", lambda: defined("later"))
assistant.close()
