"""The input transformer: a cell of ours becomes one that awaits, so that buttons can answer it.

While a cell awaits, the kernel handles the messages of widgets; while it blocks, it does not.
"""

import re

_LINE = re.compile(r"%(ask|tool|ipuaro)(?:\s+(.*))?$", re.DOTALL)
_CELL = re.compile(r"%%ask(?:[ \t]+(.*))?$")
_ENTRY = 'await get_ipython().magics_manager.registry["IpuaroMagics"].awaited'


def awaiting(lines: list[str]) -> list[str]:
    """Return the lines of a cell, rewritten when it is ``%%ask`` or one line of our magics.

    The typed text stays in the history; only what runs is changed. ``%ipuaro?`` and the like are
    left to IPython.
    """
    if not lines:
        return lines
    cell = _CELL.match(lines[0].rstrip())
    if cell:
        return _call("ask", cell.group(1) or "", "".join(lines[1:]))
    told = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    line = _LINE.match(told[0].strip()) if len(told) == 1 else None
    if line is None:
        return lines
    return _call(line.group(1), line.group(2) or "", None)


def is_silenced(line: str) -> bool:
    """Whether the line of a ``%%ask`` cell asks to show nothing."""
    return line.strip() == ";"


def _call(magic: str, line: str, cell: str | None) -> list[str]:
    end = ";" if cell is not None and is_silenced(line) else ""
    return [f"{_ENTRY}({magic!r}, {line!r}, {cell!r}){end}\n"]
