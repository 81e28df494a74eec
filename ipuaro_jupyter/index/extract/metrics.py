"""Count the lines of code of a file. The sweep counts decisions and depth."""

from collections.abc import Iterable

_BLANKS = b" \t\r\f\v"


def count_code_lines(data: bytes, comments: Iterable[tuple[int, int]]) -> int:
    """The number of lines that hold a token of code.

    Args:
        data: The file. Lines end with LF or CRLF.
        comments: Start and end of each comment, in bytes, ascending; they do not overlap.
    """
    kept: list[bytes] = []
    position = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    for start, end in comments:
        kept.append(data[position:start])
        if data.find(b"\n", start, end) >= 0:  # code on both sides stands on two lines
            kept.append(b"\n")
        position = end
    kept.append(data[position:])
    lines = b"".join(kept).translate(None, _BLANKS)
    return len(lines.split())  # only ends of lines are left to split at
