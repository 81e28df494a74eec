"""Numbered source text."""

from ipuaro_jupyter.records.outputs import Code
from ipuaro_jupyter.views.highlight import highlighted, line_html
from ipuaro_jupyter.views.markup import element, scrolling, title, visible

STYLES = ("code",)


def text(code: Code) -> str:
    """The title and the lines, each with its number."""
    width = _width(code)
    body = [f"{number:>{width}}  {visible(line)}" for number, line in _numbered(code)]
    return "\n".join([_heading(code), *body])


def html(code: Code) -> str:
    """The title and the lines with coloured tokens."""
    width = _width(code)
    lines = highlighted(code.lines, code.language)
    body = "\n".join(
        f'<span class="ipuaro-n">{number:>{width}}  </span>{line_html(line)}'
        for number, line in enumerate(lines, code.start)
    )
    pre = scrolling(body, label=f"Source of {code.title}", tag="pre", class_="ipuaro-code")
    return title(code.title, _range(code)) + (pre if code.lines else element("p", "Empty."))


def _numbered(code: Code) -> list[tuple[int, str]]:
    return list(enumerate(code.lines, code.start))


def _width(code: Code) -> int:
    return len(str(code.start + len(code.lines)))


def _range(code: Code) -> str:
    if not code.lines:
        return ""
    last = code.start + len(code.lines) - 1
    return f"line {last}" if last == code.start else f"lines {code.start}\u2013{last}"


def _heading(code: Code) -> str:
    span = _range(code)
    return f"{visible(code.title)} ({span})" if span else f"{visible(code.title)}\nEmpty."
