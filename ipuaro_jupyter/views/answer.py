"""The lasting record of a turn: tool calls, changes, the answer, time and tokens."""

from collections.abc import Collection

from ipuaro_jupyter.records.change import Change, text_of
from ipuaro_jupyter.records.chat import Answer, CalledTool
from ipuaro_jupyter.records.index_answer import LOOKED_AT, IndexAnswer
from ipuaro_jupyter.records.outputs import Diff
from ipuaro_jupyter.views import attached, call, changed_files, diff, index_answer
from ipuaro_jupyter.views.diffs.diff_cut import RECORD, TERMINAL, DiffLimit
from ipuaro_jupyter.views.file_links import FileLinks
from ipuaro_jupyter.views.markup import (
    counted,
    element,
    escape,
    folded,
    seconds,
    visible,
)
from ipuaro_jupyter.views.prose import markdown
from ipuaro_jupyter.views.receipts import receipt

UNSURE = (
    "Not sure: little of the question was found in the code that was looked at. Read the answer as "
    "a guess."
)
_NOTHING = "Nothing of your code was looked at."
STYLES = (*call.STYLES, *index_answer.STYLES, *changed_files.STYLES, "answer")
FOLD_CALLS = 3
MANY_EDITS = 30
STOPPED = "Stopped."
_Texts = tuple[str, str | None, str | None]


def text(answer: Answer, *, limit: DiffLimit = TERMINAL) -> str:
    """The turn as a terminal shows it, the answer in its Markdown; diffs as the limit allows."""
    parts = [attached.text(answer.attached)] if answer.attached else []
    if _is_exact(answer) and answer.text != answer.found:
        parts.append(visible(answer.found))
    parts += [said for called in answer.tool_calls for said in _call_text(called)]
    parts += changes_text(answer, limit=limit)
    if answer.text:
        parts.append(f"{UNSURE}\n\n" * (not answer.is_sure) + receipt.answer_text(answer))
    if told := rests_on(answer):
        parts.append(visible(told))
    if told := receipt.text(answer.receipt):
        parts.append(told)
    if _notice(answer):
        parts.append(visible(_notice(answer)))
    return "\n\n".join([*parts, ending(answer)])


def rests_on(answer: Answer) -> str:
    """What a model's answer rests on; "" where no model has answered."""
    if not (answer.usage.prompt_tokens and answer.text and answer.ended == "done"):
        return ""
    found = answer.index_answer
    if found is not None and found.line and not found.is_answer:
        return f"{_from(found)}{found.line.removeprefix(LOOKED_AT)}"
    if answer.found and found is None:  # of a recording
        return answer.found.removeprefix(LOOKED_AT)
    return "" if answer.tool_calls or found is not None else _NOTHING


def _from(found: IndexAnswer) -> str:
    return f"From {counted(len(found.symbols) + len(found.looked_at), 'place')}: "


def _rests_on_html(answer: Answer, links: FileLinks | None) -> str:
    found = answer.index_answer
    told = rests_on(answer)
    if not told:
        return ""
    if found is not None and found.line:
        line = index_answer.html(found, label=_from(found), links=links)
        return element("div", line, class_="ipuaro-rests")
    return element("div", escape(told), class_="ipuaro-note")


def _is_exact(answer: Answer) -> bool:
    """Whether the index has answered the question by itself."""
    return answer.index_answer is not None and answer.index_answer.is_answer


def changes_text(answer: Answer, *, limit: DiffLimit = TERMINAL) -> list[str]:
    """The changes of the turn, a diff for each."""
    listed = changed_files.text(answer.edits)
    each = limit.shared(len(answer.edits))
    diffs = (diff.text(_diff(change), limit=each) for change in answer.edits)
    return [*([listed] if listed else []), *diffs]


def html(answer: Answer) -> str:
    """The turn as HTML without its styles."""
    is_many = len(answer.edits) > MANY_EDITS
    limit = RECORD.shared(len(answer.edits))
    drawn = (diff.html(_diff(one), limit=limit, is_one_of_many=is_many) for one in answer.edits)
    diffs = "".join(element("div", one, class_="ipuaro-edited") for one in drawn)
    links = _links(answer)
    unsure = element("div", element("strong", UNSURE), class_="ipuaro-box ipuaro-warn")
    said = element("div", receipt.answer_html(answer, links), class_="ipuaro-answer")
    found = ""
    if answer.index_answer is not None and _is_exact(answer):
        found = element("div", index_answer.html(answer.index_answer), class_="ipuaro-found")
        said = said if answer.text != answer.found else ""
    elif answer.found and answer.text == answer.found:
        said = element("pre", escape(answer.text))  # of a recording: no Markdown
    notice = element("div", escape(_notice(answer)), class_="ipuaro-box ipuaro-bad")
    return "".join(
        (
            attached.html(answer.attached),
            found,
            _calls(answer, links),
            changed_files.html(answer.edits),
            diffs,
            ("" if answer.is_sure else unsure) + said if answer.text else "",
            _rests_on_html(answer, links),
            receipt.html(answer.receipt),
            notice if _notice(answer) else "",
            element("div", escape(ending(answer)), class_="ipuaro-ending ipuaro-note"),
        )
    )


def ending(answer: Answer) -> str:
    """The way the turn ended, with its calls, changes, time and tokens."""
    words = {
        "done": "Done",
        "stopped": "Stopped",
        "limit": "Ended by a limit",
        "error": "Ended by an error",
    }
    told = [words[answer.ended], *(["Nothing was changed"] if answer.unchanged else [])]
    if answer.tool_calls:
        told.append(counted(len(answer.tool_calls), "tool call"))
    if answer.proposals:
        told.append(str(answer.proposals))
    if answer.edits:
        told.append(changed_files.total(answer.edits))
    if answer.duration_ms:
        told.append(seconds(answer.duration_ms))
    usage = answer.usage
    if usage.prompt_tokens or usage.completion_tokens:
        about = "about " if usage.estimated else ""
        told.append(
            f"{about}{usage.read_tokens:,} tokens read, {usage.completion_tokens:,} written"
        )
    return " \u00b7 ".join(told)


def _notice(answer: Answer) -> str:
    """The notice, unless the ending already says it."""
    return "" if answer.ended == "stopped" and answer.notice == STOPPED else answer.notice


def _links(answer: Answer) -> FileLinks | None:
    """The links to the files that it names; None when it is not known which are there."""
    return FileLinks(answer.places, answer.root) if answer.root else None


def _calls(answer: Answer, links: FileLinks | None) -> str:
    called = answer.tool_calls
    below = {_texts(_diff(change)) for change in answer.edits}
    lines = "".join(_call_html(one, below, links) for one in called)
    if len(called) <= FOLD_CALLS:
        return lines
    failed = sum(not one.result.success for one in called)
    note = f" ({failed} not done)" if failed else ""
    names = ", ".join(dict.fromkeys(one.call.name for one in called))
    summary = f"{counted(len(called), 'tool call')}{note}: {names}"
    return folded(escape(summary), lines, class_="ipuaro-calls")


def _call_text(called: CalledTool) -> list[str]:
    said = [visible(called.said.strip())] if called.said.strip() else []
    return [*said, call.text(called)]


def _call_html(called: CalledTool, below: Collection[_Texts], links: FileLinks | None) -> str:
    """The line of a call; a change that is drawn below is not drawn in it again."""
    said = element("div", markdown.html(called.said, links), class_="ipuaro-answer")
    shown = None if called.result.output is None else called.result.output.shape()
    is_below = isinstance(shown, Diff) and _texts(shown) in below
    line = element("div", call.html(called, is_drawn_elsewhere=is_below), class_="ipuaro-call")
    return said + line if called.said.strip() else line


def _texts(shown: Diff) -> _Texts:
    return shown.path, shown.old, shown.new


def _diff(change: Change) -> Diff:
    if change.part is not None:
        return change.part
    word = {"create": "Created", "edit": "Edited", "delete": "Deleted"}[change.kind]
    return Diff(
        title=f"{word} {change.path}",
        path=change.path,
        old=text_of(change.before),
        new=text_of(change.after),
    )
