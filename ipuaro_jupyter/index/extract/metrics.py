"""Count the lines of code of a file. The sweep counts decisions and depth."""

import re
from collections.abc import Iterable

_BETWEEN_LINES = re.compile(rb"\n\s*")


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
    text = b"".join(kept).strip()
    return len(_BETWEEN_LINES.findall(text)) + 1 if text else 0
