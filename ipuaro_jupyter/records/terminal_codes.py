"""The codes by which a program colours its output, moves the cursor or names a window."""

import re

# ECMA-48: control sequences; strings, with their end; other escapes. And letters struck twice.
CODE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90-\x9f\n]{0,1024}(?:\x07|\x1b\\|\x9c)"
    r"|\x1b(?:[ -/]+[0-~]|[0-Z\\-~])"
    r"|[^\n\x08]\x08"
)
_BEGIN = re.compile(r"[\x1b\x90\x98\x9b\x9d-\x9f\x08]")


def without_codes(text: str) -> str:
    """A program's output as it is read, without its codes."""
    return text if _BEGIN.search(text) is None else CODE.sub("", text)
