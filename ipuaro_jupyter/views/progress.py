"""The display while something runs: the status line, notices, the progress of indexing."""

from typing import NamedTuple

from ipuaro_jupyter.records.chat import Usage
from ipuaro_jupyter.records.events import (
    IndexPhase,
    IndexProgress,
    Noticed,
    Phase,
    Progress,
    PromptSent,
)
from ipuaro_jupyter.records.trouble import short_name
from ipuaro_jupyter.views.markup import element, escape, visible

STYLES = ("answer",)

_WORDS = {
    "loading": "Loading the model",
    "thinking": "Thinking",
    "writing": "Writing",
    "running": "Running",
    "waiting": "Waiting for your decision",
    "summarising": "Summarising earlier messages",
    "starting": "Starting",
    "opening": "Opening",
    "downloading": "Downloading",
}
_INDEX_WORDS: dict[IndexPhase, tuple[str, str]] = {
    "waiting": ("Waiting for another kernel that is indexing", ""),
    "scanning": ("Looking for files", ""),
    "parsing": ("Reading files", "files"),
    "linking": ("Linking imports", "files"),
    "storing": ("Storing names", "names"),
}
_NOTICE_WORDS = {"info": "Note", "warning": "Warning", "error": "Error"}
_CONTEXT_FILLING_UP = 60
_CONTEXT_NEARLY_FULL = 80
_MB = 1_000_000
_DOT = " \u00b7 "


class Figures(NamedTuple):
    """The figures of a turn shown beside its phase; unknown ones are empty.

    ``context_percent`` (0-100) is how full the model's window is.
    """

    elapsed_s: float
    usage: Usage = Usage()
    context_percent: float | None = None
    model: str = ""
    branch: str = ""
    reading: str = ""


def phase_words(phase: Phase, detail: str) -> str:
    """The assistant's current activity: "Running get_lines"."""
    if phase == "writing" and detail:
        return visible(f"{_WORDS[phase]} a call of {detail}")
    if phase == "waiting" and detail:
        return visible(f"Waiting for {detail}")
    named = phase in {"running", "starting", "opening", "downloading"}
    return visible(f"{_WORDS[phase]} {detail}".strip() if named else _WORDS[phase])


def reading_words(sent: PromptSent, elapsed_s: float) -> str:
    """How far the model has read: "Reading 1,400 of 2,000 tokens, about 20 s left"."""
    if sent.seconds is None:
        return f"Reading about {sent.tokens:,} tokens"
    left_s = max(0.0, sent.seconds - elapsed_s)
    done = read_by(sent, elapsed_s)
    if not left_s:
        return f"Reading {sent.tokens:,} tokens, longer than the last ones"
    return f"Reading {done:,} of {sent.tokens:,} tokens, about {clock(left_s)} left"


def read_by(sent: PromptSent, elapsed_s: float) -> int:
    """About how many tokens the model has read so long after it said how many."""
    if not sent.seconds:
        return sent.read
    share = min(1.0, elapsed_s / sent.seconds)
    return sent.read + round((sent.tokens - sent.read) * share)


def figures_text(figures: Figures) -> str:
    """The time, the tokens so far, how full the window is, the model, and the git branch."""
    return _DOT.join(text for text, _ in _told(figures))


def figures_html(figures: Figures) -> str:
    """The same as HTML; how full the window is stands out from 60 % on."""
    told = (element("span", escape(text), class_=tone) for text, tone in _told(figures))
    return element("div", _DOT.join(told), class_="ipuaro-status")


def phase_html(doing: str) -> str:
    """The current activity, marked so that a screen reader announces changes."""
    sign = element("span", "\u25cf", class_="ipuaro-busy", aria_hidden="true")
    words = element("strong", escape(doing))
    return element("div", sign, " ", words, class_="ipuaro-status", role="status")


def status_text(doing: str, figures: Figures) -> str:
    """Activity and figures on one line."""
    return f"{visible(doing)}{_DOT}{figures_text(figures)}"


def line_html(text: str) -> str:
    """A line that changes with time and that screen readers need not announce."""
    return element("div", escape(text), class_="ipuaro-status")


def _told(figures: Figures) -> list[tuple[str, str | None]]:
    """Each figure with its class."""
    told: list[tuple[str, str | None]] = [(figures.reading, None)] if figures.reading else []
    told.append((clock(figures.elapsed_s), None))
    usage = figures.usage
    tokens = usage.prompt_tokens + usage.completion_tokens
    if tokens:
        told.append((f"{'about ' if usage.estimated else ''}{tokens:,} tokens", None))
    if figures.context_percent is not None:
        told.append(_context(figures.context_percent))
    if figures.model:
        told.append((f"model {visible(short_name(figures.model))}", None))
    if figures.branch:
        told.append((f"branch {visible(figures.branch)}", None))
    return told


def _context(percent: float) -> tuple[str, str | None]:
    """How full the window is, with a sign and a word where that matters."""
    text = f"context {round(percent)} %"
    if round(percent) >= _CONTEXT_NEARLY_FULL:
        return f"\u203c {text} (nearly full)", "ipuaro-bad"
    if round(percent) >= _CONTEXT_FILLING_UP:
        return f"\u26a0 {text} (filling up)", "ipuaro-warn"
    return text, None


def progress_text(progress: Progress) -> str:
    """The progress in words: "Reading files: 120 of 500 files (24 %)"."""
    words, done, total, things = _parts(progress)
    if not total:
        return words
    counts = f"{done:,} of {total:,} {things}"
    return f"{words}: {counts} ({_percent(done, total)} %)"


def progress_html(progress: Progress, text: str) -> str:
    """The progress as a bar under ``text``; without a total, the text alone."""
    words, done, total, _ = _parts(progress)
    if not total:
        return line_html(text)
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
    return line_html(text) + bar


def _parts(progress: Progress) -> tuple[str, int, int, str]:
    """The activity, the number done, the total, and the unit."""
    if isinstance(progress, IndexProgress):
        words, things = _INDEX_WORDS[progress.phase]
        return words, progress.done, progress.total, things
    words = visible(f"Downloading the model: {progress.status}")
    return words, progress.done_bytes // _MB, progress.total_bytes // _MB, "MB"


def _percent(done: int, total: int) -> int:
    return min(100, 100 * done // total)


def notice_text(notice: Noticed) -> str:
    """A notice with its level in front."""
    return f"{_NOTICE_WORDS[notice.level]}: {visible(notice.text)}"


def notice_html(notice: Noticed) -> str:
    """A notice as HTML."""
    tone = {
        "info": "ipuaro-note",
        "warning": "ipuaro-box ipuaro-warn",
        "error": "ipuaro-box ipuaro-bad",
    }
    return element("div", element("span", escape(notice_text(notice))), class_=tone[notice.level])


def clock(elapsed_s: float) -> str:
    """A duration for the user: "1 min 5 s"."""
    whole = int(elapsed_s)
    minutes, seconds = divmod(whole, 60)
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
