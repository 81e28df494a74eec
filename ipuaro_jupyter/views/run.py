"""A command that has ended; for a test run, its results and failed tests come first."""

from ipuaro_jupyter.records.outputs import Run
from ipuaro_jupyter.views.markup import (
    counted,
    element,
    escape,
    folded,
    scrolling,
    seconds,
    title,
    visible,
    without_codes,
)

STYLES = ("code", "table")
FOLD_FAILED = 20
_SIGNS = {"passed": "\u2713", "failed": "\u2717", "skipped": "\u2013"}
_TONES = {"passed": "ipuaro-good", "failed": "ipuaro-bad", "skipped": "ipuaro-note"}


def text(run: Run) -> str:
    """The results of a test run, the command, its output, and how it ended."""
    parts = [visible(run.title)]
    if run.counts:
        parts.append(", ".join(_count(number, word) for number, word in _some(run)))
    for test in run.failed:
        why = f": {visible(test.message)}" if test.message else ""
        parts.append(f"  \u2717 {visible(test.name)}{why}")
    parts.append(f"$ {visible(run.command)}")
    for name, written in _written(run):
        parts += [f"{name}:", visible(written)]
    return "\n".join([*parts, _ending(run)])


def html(run: Run) -> str:
    """The same; where there are counts, the output is folded."""
    command = element("pre", f"$ {escape(run.command)}", class_="ipuaro-code ipuaro-wrapped")
    parts = [title(run.title), _counts(run), _failed(run), command]
    for name, written in _written(run):
        box = scrolling(escape(written), label=name, tag="pre", class_="ipuaro-code")
        if run.counts:
            lines = counted(written.count("\n") + 1, "line")
            note = element("span", escape(f"({lines})"), class_="ipuaro-note")
            parts.append(folded(f"{name}: {note}", box))
        else:
            parts += [element("div", f"{name}:", class_="ipuaro-note"), box]
    tone = "ipuaro-good" if run.exit_code == 0 else "ipuaro-bad"
    return "".join(parts) + element("div", escape(_ending(run)), class_=tone)


def _written(run: Run) -> list[tuple[str, str]]:
    """The output and the errors that are not empty, with their names."""
    both = (("Output", run.stdout), ("Errors", run.stderr))
    return [(name, without_codes(written).rstrip("\n")) for name, written in both if written]


def _some(run: Run) -> list[tuple[int, str]]:
    """The counts that are not 0."""
    return [(number, word) for number, word in run.counts if number] or [(0, "passed")]


def _count(number: int, word: str) -> str:
    return f"{_SIGNS[word]} {number:,} {word}"


def _counts(run: Run) -> str:
    if not run.counts:
        return ""
    told = (
        element("span", escape(_count(number, word)), class_=_TONES[word])
        for number, word in _some(run)
    )
    return element("div", element("strong", " \u00b7 ".join(told)))


def _failed(run: Run) -> str:
    """A row for each failed test."""
    if not run.failed:
        return ""
    head = element("th", "Failed test", scope="col") + element("th", "Why", scope="col")
    rows = "".join(
        element(
            "tr",
            element("th", f"\u2717 {element('code', escape(test.name))}", scope="row"),
            element("td", escape(test.message or "\u2013")),
        )
        for test in run.failed
    )
    table = element("table", element("thead", element("tr", head)), element("tbody", rows))
    long = len(run.failed) > FOLD_FAILED
    return scrolling(table, label="Failed tests") if long else table


def _ending(run: Run) -> str:
    word = "Succeeded" if run.exit_code == 0 else "Failed"
    return f"{word}: exit code {run.exit_code} after {seconds(run.duration_ms)}"
