"""What is on the screen while something runs: the status line, notices, how far the index is."""

from typing import Literal

from ipuaro_jupyter.records.chat import Usage
from ipuaro_jupyter.records.events import IndexPhase, IndexProgress, Noticed, Progress
from ipuaro_jupyter.views.markup import element, escape, grouped, visible

STYLES = ("answer",)

Phase = Literal["loading", "thinking", "writing", "running", "waiting", "summarising", "starting"]
_WORDS = {
    "loading": "Loading the model",
    "thinking": "Thinking",
    "writing": "Writing",
    "running": "Running",
    "waiting": "Waiting for your decision",
    "summarising": "Summarising earlier messages",
    "starting": "Starting",
}
_INDEX_WORDS: dict[IndexPhase, tuple[str, str]] = {
    "waiting": ("Waiting for another kernel that is indexing", ""),
    "scanning": ("Looking for files", ""),
    "parsing": ("Reading files", "files"),
    "linking": ("Linking imports", "files"),
    "storing": ("Storing names", "names"),
}
_NOTICE_WORDS = {"info": "Note", "warning": "Warning", "error": "Error"}
_CONTEXT_NEARLY_FULL = 80.0
_MB = 1_000_000


def phase_words(phase: Phase, detail: str) -> str:
    """Return what the assistant is busy with: "Running get_lines"."""
    if phase == "writing" and detail:
        return visible(f"{_WORDS[phase]} a call of {detail}")
    named = phase in {"running", "starting"}
    return visible(f"{_WORDS[phase]} {detail}".strip() if named else _WORDS[phase])


def status_text(doing: str, elapsed_s: float, usage: Usage, context_percent: float | None) -> str:
    """Return the status line: what is done, elapsed time, tokens so far, how full the window is."""
    told = [visible(doing), clock(elapsed_s)]
    tokens = usage.prompt_tokens + usage.completion_tokens
    if tokens:
        told.append(f"{'about ' if usage.estimated else ''}{grouped(tokens)} tokens")
    if context_percent is not None:
        full = " (nearly full)" if context_percent >= _CONTEXT_NEARLY_FULL else ""
        told.append(f"context {context_percent:.0f} %{full}")
    return " \u00b7 ".join(told)


def status_html(text: str) -> str:
    """Return the status line as HTML; the sign tells that something is going on."""
    sign = element("span", "\u25cf", class_="ipuaro-busy", aria_hidden="true")
    return element("div", f"{sign} {escape(text)}", class_="ipuaro-status")


def progress_text(progress: Progress) -> str:
    """Return how far it is: "Reading files: 120 of 500 files (24 %)"."""
    words, done, total, things = _parts(progress)
    if not total:
        return words
    counts = f"{grouped(done)} of {grouped(total)} {things}"
    return f"{words}: {counts} ({_percent(done, total)} %)"


def progress_html(progress: Progress, text: str) -> str:
    """Return how far it is as a bar under ``text``; without a total, the text alone."""
    words, done, total, _ = _parts(progress)
    if not total:
        return status_html(text)
    percent = str(_percent(done, total))
    filled = element("span", "", class_="ipuaro-bar-done", style=f"width: {percent}%")
    bar = element(
        *("div", filled),
        class_="ipuaro-bar",
        role="progressbar",
        aria_valuemin="0",
        aria_valuemax="100",
        aria_valuenow=percent,
        aria_label=words,
    )
    return status_html(text) + bar


def _parts(progress: Progress) -> tuple[str, int, int, str]:
    """Return what is done, how much of how much, and of what."""
    if isinstance(progress, IndexProgress):
        words, things = _INDEX_WORDS[progress.phase]
        return words, progress.done, progress.total, things
    words = visible(f"Downloading the model: {progress.status}")
    return words, progress.done_bytes // _MB, progress.total_bytes // _MB, "MB"


def _percent(done: int, total: int) -> int:
    return min(100, 100 * done // total)


def notice_text(notice: Noticed) -> str:
    """Return a notice with its level in front."""
    return f"{_NOTICE_WORDS[notice.level]}: {visible(notice.text)}"


def notice_html(notice: Noticed) -> str:
    """Return a notice as HTML."""
    tone = {
        "info": "ipuaro-note",
        "warning": "ipuaro-box ipuaro-warn",
        "error": "ipuaro-box ipuaro-bad",
    }
    return element("div", element("span", escape(notice_text(notice))), class_=tone[notice.level])


def clock(elapsed_s: float) -> str:
    """Return a time for the user: "1 min 5 s"."""
    whole = int(elapsed_s)
    minutes, seconds = divmod(whole, 60)
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
