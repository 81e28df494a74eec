"""A conversation shown again: each message of the user, and its answer as it was drawn."""

from ipuaro_jupyter.records.transcript import Transcript
from ipuaro_jupyter.views import answer
from ipuaro_jupyter.views.diffs.diff_cut import TERMINAL, DiffLimit
from ipuaro_jupyter.views.markup import counted, element, escape, visible

STYLES = answer.STYLES


def text(transcript: Transcript, *, limit: DiffLimit = TERMINAL) -> str:
    """The user's messages, marked as quotes, and the answers; long diffs as the limit allows."""
    parts = [visible(transcript.title), *_earlier(transcript)]
    for turn in transcript.turns:
        asked = visible(turn.question).splitlines() or [""]
        parts += ["\n".join(f"> {line}".rstrip() for line in asked), answer.text(turn, limit=limit)]
    return "\n\n".join(parts)


def html(transcript: Transcript) -> str:
    """The same as HTML without its styles."""
    parts = [element("p", element("strong", escape(transcript.title)))]
    parts += [element("p", escape(line), class_="ipuaro-note") for line in _earlier(transcript)]
    for turn in transcript.turns:
        asked = element("blockquote", element("pre", escape(turn.question)))
        parts.append(element("div", asked, answer.html(turn), class_="ipuaro-turn"))
    return "".join(parts)


def _earlier(transcript: Transcript) -> list[str]:
    if not transcript.earlier:
        return []
    return [f"{counted(transcript.earlier, 'earlier message')} not shown; an export has all."]
