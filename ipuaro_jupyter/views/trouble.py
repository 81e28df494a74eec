"""A failure in a turn, the user's choices, and the line that records the choice."""

from collections.abc import Iterable

from ipuaro_jupyter.records.events import Noticed, TroubleDecided
from ipuaro_jupyter.records.trouble import Action, ModelOffer, Remedy, Trouble, short_name
from ipuaro_jupyter.views.markup import element, escape, folded, visible

STYLES: tuple[str, ...] = ()
SIGNS = {"retry": "\u21bb", "skip": "\u2013", "abort": "\u2717"}
_DONE = {"retry": "Retried", "skip": "Skipped", "abort": "Aborted"}
_MEANINGS: dict[str, dict[Action, str]] = {
    "model": {
        "retry": "asks the model again",
        "skip": "ends the turn with what there is",
        "abort": "ends it with this error",
    },
    "tool": {
        "retry": "runs the tool again",
        "skip": "tells the model of the error, and goes on",
        "abort": "ends the turn with this error",
    },
    "store": {
        "retry": "tries again",
        "skip": "ends the turn with what there is",
        "abort": "ends it with this error",
    },
    "limit": {
        "retry": "lets it go on",
        "skip": "ends the turn with what there is",
        "abort": "ends it with an error",
    },
}


def title(trouble: Trouble) -> str:
    """The failure, in a few words."""
    if trouble.offers:
        return "The model cannot answer yet"
    return {
        "model": "The model could not answer",
        "tool": visible(f"{trouble.tool} failed"),
        "store": "The session could not be kept",
        "limit": "The turn has reached a limit",
    }[trouble.kind]


def meanings(trouble: Trouble) -> str:
    """The effect of each choice: "Retry asks the model again. Skip \u2026"."""
    known = _MEANINGS[trouble.kind]
    return " ".join(f"{action.capitalize()} {known[action]}." for action in trouble.options)


def offer_words(offer: ModelOffer) -> str:
    """What taking an offer does: "Download NAME"."""
    return visible(f"{'Download' if offer.is_download else 'Use'} {short_name(offer.name)}")


def offers_text(trouble: Trouble) -> list[str]:
    """The offers, numbered from 1, with what there is to know of each."""
    return [
        f"  {number}  {offer_words(offer)}{f': {visible(offer.note)}' if offer.note else ''}"
        for number, offer in enumerate(trouble.offers, 1)
    ]


def detail_text(trouble: Trouble) -> str:
    """The failure and the choices, as a terminal shows them."""
    failed = f"{title(trouble)}: {visible(trouble.message)}"
    return "\n".join([failed, *offers_text(trouble), meanings(trouble)])


def detail_html(trouble: Trouble) -> str:
    """The failure and the choices, without the title."""
    message = element("p", escape(trouble.message))
    told = (f"{offer_words(one)}: {one.note}" for one in trouble.offers if one.note)
    notes = "".join(element("li", escape(line)) for line in told)
    listed = element("ul", notes, class_="ipuaro-note") if notes else ""
    return message + listed + element("p", escape(meanings(trouble)), class_="ipuaro-note")


def text(trouble: Trouble, remedy: Remedy) -> str:
    """The record of the choice."""
    return f"{SIGNS[remedy.action]} {_line(trouble, remedy)} \u2013 {visible(trouble.message)}"


def html(trouble: Trouble, remedy: Remedy) -> str:
    """The record of the choice in one line, which opens to the failure."""
    sign = element("span", SIGNS[remedy.action], class_="ipuaro-note", aria_hidden="true")
    summary = f"{sign} {escape(_line(trouble, remedy))}"
    return folded(summary, element("p", escape(trouble.message)))


def _line(trouble: Trouble, remedy: Remedy) -> str:
    taken = next((one for one in trouble.offers if one.name == remedy.model), None)
    done = _DONE[remedy.action] if taken is None else offer_words(taken)
    why = f" ({remedy.reason})" if remedy.reason else ""
    return visible(f"{done}{why}: {title(trouble)}")


def is_told(notice: Noticed, before: Iterable[Noticed | TroubleDecided]) -> bool:
    """Whether a notice says what an earlier one of the turn has said, or a failure asked about."""
    said = (one.text if isinstance(one, Noticed) else one.trouble.message for one in before)
    return any(notice.text in one for one in said)
