"""A failure in a turn, the user's choices, and the line that records the choice."""

from ipuaro_jupyter.records.trouble import Action, Remedy, Trouble
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


def detail_text(trouble: Trouble) -> str:
    """The failure and the choices, as a terminal shows them."""
    return f"{title(trouble)}: {visible(trouble.message)}\n{meanings(trouble)}"


def detail_html(trouble: Trouble) -> str:
    """The failure and the choices, without the title."""
    message = element("p", escape(trouble.message))
    return message + element("p", escape(meanings(trouble)), class_="ipuaro-note")


def text(trouble: Trouble, remedy: Remedy) -> str:
    """The record of the choice."""
    return f"{SIGNS[remedy.action]} {_line(trouble, remedy)} \u2013 {visible(trouble.message)}"


def html(trouble: Trouble, remedy: Remedy) -> str:
    """The record of the choice in one line, which opens to the failure."""
    sign = element("span", SIGNS[remedy.action], class_="ipuaro-note", aria_hidden="true")
    summary = f"{sign} {escape(_line(trouble, remedy))}"
    return folded(summary, element("p", escape(trouble.message)))


def _line(trouble: Trouble, remedy: Remedy) -> str:
    why = f" ({remedy.reason})" if remedy.reason else ""
    return visible(f"{_DONE[remedy.action]}{why}: {title(trouble)}")
