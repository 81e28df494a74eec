"""What precedes a name in a line, and follows a value: numbers, signs of a diff, comments."""

import re

NUMBER = r"[ \t▶]{0,40}\d{1,7}(?:[\t:|-]|│ ?)"
NEXT_LINE = rf"[ \t]{{0,20}}\r?\n(?:{NUMBER})?[+-]?[ \t]{{0,80}}"
"""A line end, and what precedes the text of the next line."""
REST = re.compile(r"[ \t]*(?:#.*|\\)?\r?$", re.MULTILINE)
_LONGEST_LEAD = 200
_LINE_START = re.compile(
    rf"(?:{NUMBER}|[ \t]{{0,40}})[+-]?[ \t]{{0,40}}(?:-[ \t])?(?:(?:export|set|ENV|env|ARG)[ \t])?"
    r"(?://[A-Za-z0-9./-]{1,80}:)?[\"']?"
)
_NUMBER = re.compile(NUMBER)


def lead_width(line: str, other: str) -> int:
    """The width of a line's prefix, its number and sign of a diff, if ``other`` has one too."""
    number = _NUMBER.match(line)
    beside = _NUMBER.match(other)
    width, there = (number.end(), beside.end()) if number and beside else (0, 0)
    sign = line[width : width + 1]
    return width + (sign in {"+", "-"} and other[there : there + 1] == sign)


def line_start(text: str, at: int) -> int:
    """The beginning of the line that a place is in; -1 when that is too far away."""
    newline = text.rfind("\n", max(0, at - _LONGEST_LEAD), at)
    return -1 if newline < 0 and at > _LONGEST_LEAD else newline + 1


def begins_line(text: str, at: int) -> bool:
    """Whether only a line's prefix precedes a place: a line number, "export", "-"."""
    start = line_start(text, at)
    return start >= 0 and _LINE_START.fullmatch(text, start, at) is not None
