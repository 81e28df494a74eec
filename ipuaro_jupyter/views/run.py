"""A command that ended."""

from ipuaro_jupyter.records.outputs import Run
from ipuaro_jupyter.views.markup import (
    element,
    escape,
    scrolling,
    seconds,
    title,
    visible,
    without_ansi,
)

STYLES = ("code",)


def text(run: Run) -> str:
    """Return the command, what it wrote, and how it ended."""
    parts = [visible(run.title), f"$ {visible(run.command)}"]
    for name, written in (("Output", run.stdout), ("Errors", run.stderr)):
        if written:
            parts += [f"{name}:", visible(without_ansi(written)).rstrip("\n")]
    return "\n".join([*parts, _ending(run)])


def html(run: Run) -> str:
    """Return the command, what it wrote in boxes that scroll, and how it ended."""
    parts = [title(run.title), element("pre", f"$ {escape(run.command)}", class_="ipuaro-code")]
    for name, written in (("Output", run.stdout), ("Errors", run.stderr)):
        if written:
            body = escape(without_ansi(written).rstrip("\n"))
            parts.append(element("div", f"{name}:", class_="ipuaro-note"))
            parts.append(scrolling(body, label=name, tag="pre", class_="ipuaro-code"))
    tone = "ipuaro-good" if run.exit_code == 0 else "ipuaro-bad"
    return "".join(parts) + element("div", escape(_ending(run)), class_=tone)


def _ending(run: Run) -> str:
    word = "Succeeded" if run.exit_code == 0 else "Failed"
    return f"{word}: exit code {run.exit_code} after {seconds(run.duration_ms)}"
