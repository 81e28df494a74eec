"""A question to the user, and the line that records the decision."""

from functools import lru_cache

from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.records.outputs import Diff
from ipuaro_jupyter.views import changes, check, diff
from ipuaro_jupyter.views.change_sets import change_set
from ipuaro_jupyter.views.change_sets.set_choice import chosen_of
from ipuaro_jupyter.views.decided import choices, chosen_text, decided_line, is_as_checked
from ipuaro_jupyter.views.diffs import problems
from ipuaro_jupyter.views.diffs.diff_cut import TERMINAL, DiffLimit
from ipuaro_jupyter.views.diffs.unseen import Unseen
from ipuaro_jupyter.views.highlight import highlighted, line_html
from ipuaro_jupyter.views.hunks import hunks
from ipuaro_jupyter.views.markup import counted, element, ends, escape, folded, scrolling, visible

STYLES = ("code", "diff", "proposal")
QUESTION_STYLES = (*STYLES, "changes", "change_set")
SIGNS = {"apply": "\u2713", "reject": "\u2013", "check": "?"}
_FAILED = "\u2717"
MAX_FILES = 200
FOLD_FILES = 10
MAX_CHARACTERS = 100_000


def detail_text(
    proposal: Proposal, *, limit: DiffLimit = TERMINAL, offers_check: bool = True
) -> str:
    """The subject of a question, as a terminal shows it; of a long diff, what the limit allows.

    ``offers_check`` is False where the user cannot ask for a check.
    """
    parts = [visible(proposal.title)]
    parts += problems.lines(proposal.problems)
    if proposal.reason:
        parts.append(visible(proposal.reason))
    if proposal.command is not None:
        parts.append(f"$ {visible(proposal.command)}")
    if proposal.runs:
        parts += ["What it runs:", *(f"  {visible(run)}" for run in proposal.runs)]
    if proposal.message is not None:
        parts.append(visible(proposal.message))
    parts += [f"  {visible(f'{state} {path}'.strip())}" for path, state in _files(proposal)]
    if proposal.kind == "changes":
        parts.append(change_set.text(proposal, limit=limit))
    shown, numbered = as_diff(proposal), choices(proposal) > 1
    if shown:
        parts.append(diff.text(shown, numbered=numbered, limit=limit, is_titled=False))
    if offers_check or proposal.checked is not None:
        parts += check.lines(proposal)
    return "\n".join(parts)


@lru_cache(maxsize=4)
def detail_html(proposal: Proposal, *, is_current: bool = True) -> str:
    """The subject of a question, without the title: the diff, command, commit or call.

    The latest few are cached, because they are drawn before the kernel's thread shows them.
    ``is_current`` is False where the check was of another choice or text than is drawn.
    """
    about = _about(proposal) + check.html(proposal, is_current=is_current)
    if proposal.kind == "changes":
        return about + change_set.html(proposal)
    shown = as_diff(proposal)
    drawn = _remark(shown) + diff.lines_html(shown) if shown else ""
    return about + drawn


@lru_cache(maxsize=4)
def question_html(proposal: Proposal) -> str:
    """The subject of a question, without the title, for a page that makes it interactive.

    The class ``ipuaro-proposed`` marks the parts that the user may edit.
    """
    if proposal.kind == "changes":
        files = change_set.question_html(proposal)
        about = _about(proposal) + check.html(proposal)
        return about + element("div", files, class_="ipuaro-proposed")
    shown = as_diff(proposal)
    if shown is None or not hunks(shown.old, shown.new):
        return detail_html(proposal)
    about = _about(proposal) + check.html(proposal)
    drawn = _remark(shown, is_proposed=choices(proposal) > 1) + changes.html(shown)
    return about + element("div", drawn, class_="ipuaro-proposed")


def chosen_lines(proposal: Proposal, decision: Decision) -> change_set.ChosenLines:
    """The numbers of lines that a choice would write, in place of those in `question_html`."""
    if proposal.kind == "changes":
        return change_set.chosen_lines(proposal, chosen_of(proposal, decision))
    shown = as_diff(proposal)
    if shown is None or choices(proposal) < 2:  # noqa: PLR2004 - one is no choice
        return change_set.ChosenLines("", {})
    proposed = diff.heading_text(shown)
    if decision.hunks is None:
        return change_set.ChosenLines(f"Proposed: {proposed}", {})
    found = hunks(shown.old, shown.new)
    chosen = [hunk for number, hunk in enumerate(found, 1) if number in decision.hunks]
    told = f"Chosen: {diff.counts_text(chosen)}, of {proposed}"
    return change_set.ChosenLines(told, {})


def page_html(proposal: Proposal, key: str, number: int = 1) -> str | None:
    """More of a diff that `question_html` shows in part; None when there is no such part.

    Args:
        proposal: The proposal.
        key: The ``data-page`` of what is to be shown; see `changes`.
        number: Which of a change set's files, from 1.
    """
    asked = diffs(proposal)
    return changes.page(asked[number - 1], key) if 1 <= number <= len(asked) else None


def diffs(proposal: Proposal) -> tuple[Diff, ...]:
    """The proposed changes of files: one, or those of a change set in their order."""
    if proposal.kind != "changes":
        shown = as_diff(proposal)
        return () if shown is None else (shown,)
    return tuple(
        Diff(title=one.path, path=one.path, old=one.old_text, new=one.new_text)
        for one in proposal.changed
    )


def unseen_in(proposal: Proposal) -> Unseen:
    """What `detail_text` leaves out of the changes that would be applied."""
    if proposal.kind != "changes":
        return Unseen(diffs(proposal))
    limits = change_set.text_limits(proposal, TERMINAL)
    ticked = [
        (diff, limit)
        for diff, limit, file in zip(diffs(proposal), limits, proposal.changed, strict=True)
        if file.is_chosen
    ]
    return Unseen([diff for diff, _ in ticked], [limit for _, limit in ticked])


def as_diff(proposal: Proposal) -> Diff | None:
    """The proposed change of a file; None when something else is proposed."""
    if (
        proposal.kind in {"changes", "command", "commit", "settings", "mcp", "notebook", "start"}
        or proposal.path is None
    ):
        return None
    return Diff(
        title=proposal.title,
        path=f"{proposal.path} {proposal.part}".rstrip(),
        old=proposal.old_text,
        new=proposal.new_text,
        language=proposal.language,
    )


def text(proposal: Proposal, decision: Decision) -> str:
    """The record of a decision."""
    return f"{_sign(decision)} {decided_line(proposal, decision)}"


def html(proposal: Proposal, decision: Decision) -> str:
    """The record of a decision, which opens to the subject of the question."""
    tone = "ipuaro-good" if decision.action == "apply" else "ipuaro-note"
    tone = "ipuaro-bad" if decision.failed else tone
    sign = element("span", _sign(decision), class_=tone, aria_hidden="true")
    line = f"{sign} {escape(decided_line(proposal, decision))}"
    if proposal.kind == "changes" and decision.action == "apply":
        picked = chosen_of(proposal, decision)
        return folded(line, _about(proposal) + change_set.decided_html(proposal, picked))
    if decision.action == "reject" and decision.text is not None:
        unedited = decision.model_copy(update={"text": None})
        shown = detail_html(proposal, is_current=is_as_checked(proposal, unedited))
        return folded(line, shown + _typed_html(proposal, decision.text))
    decided = proposal
    if decision.text is not None:
        field = "message" if proposal.kind == "commit" else "new_text"
        decided = proposal.model_copy(update={field: decision.text})
    elif decision.hunks is not None and choices(proposal):
        made = chosen_text(proposal, decision.hunks)
        decided = proposal.model_copy(update={"new_text": made})
    if not is_as_checked(proposal, decision):
        return folded(line, detail_html(decided, is_current=False))
    return folded(line, detail_html(decided))


def _sign(decision: Decision) -> str:
    return _FAILED if decision.failed else SIGNS[decision.action]


def _typed_html(proposal: Proposal, typed: str) -> str:
    """What the user had typed before a rejection."""
    head = element("p", "Typed before that, and not written:", class_="ipuaro-note")
    shown = as_diff(proposal)
    if shown is None:
        return head + _box(typed, "What was typed", "")
    return head + diff.lines_html(shown.model_copy(update={"new": typed}))


def _about(proposal: Proposal) -> str:
    """Everything about the question except the change of a file."""
    parts = [problems.html(proposal.problems)]
    if proposal.reason:
        parts.append(element("p", escape(proposal.reason)))
    if proposal.called:
        rows = zip(("Server", "Tool"), proposal.called, strict=True)
        cells = ((element("th", n, scope="row"), element("td", escape(v))) for n, v in rows)
        body = "".join(element("tr", *row) for row in cells)
        parts.append(element("table", element("tbody", body), class_="ipuaro-arguments"))
    if proposal.command is not None:
        parts.append(_box(proposal.command, "Command", "bash", before="$ "))
    if proposal.runs:
        parts.append(element("div", "What it runs:", class_="ipuaro-note"))
        parts.append(_box("\n".join(proposal.runs), "What it runs", "bash"))
    if proposal.message is not None:
        named = {
            "commit": ("Commit message", ""),
            "mcp": ("Arguments", "json"),
            "notebook": ("What", ""),
            "start": ("Project", ""),
            "settings": ("Question", "") if proposal.tool == "ask" else ("Settings", "json"),
        }
        label, language = named.get(proposal.kind, ("Message", ""))
        box = _box(proposal.message, label, language)
        parts.append(element("div", box, class_="ipuaro-proposed"))
    return "".join(parts) + _files_html(proposal)


def _box(text: str, label: str, language: str, *, before: str = "") -> str:
    """A text in a scrolling box, its lines wrapped; only the ends of a very long one."""
    text = ends(text, MAX_CHARACTERS)
    body = "\n".join(line_html(line) for line in highlighted(text.split("\n"), language))
    classes = "ipuaro-code ipuaro-wrapped"
    return scrolling(before + body, label=label, tag="pre", class_=classes)


def _files(proposal: Proposal) -> list[tuple[str, str]]:
    states = (*proposal.states, *[""] * len(proposal.files))
    return list(zip(proposal.files, states, strict=False))


def _files_html(proposal: Proposal) -> str:
    if not proposal.files:
        return ""
    listed = "".join(
        element(
            "li",
            element("code", escape(path)),
            element("span", f" {escape(state)}", class_="ipuaro-note") if state else "",
        )
        for path, state in _files(proposal)[:MAX_FILES]
    )
    more = len(proposal.files) - MAX_FILES
    note = f"\u2026 {counted(more, 'more file')} not shown" if more > 0 else ""
    files = element("ul", listed, class_="ipuaro-files")
    if len(proposal.files) > FOLD_FILES:
        files = scrolling(files, label="Files")
    return files + diff.note_html(note)


def _remark(shown: Diff, *, is_proposed: bool = False) -> str:
    """The number of lines; "proposed" where only some of the changes may be chosen."""
    before = "Proposed: " if is_proposed else ""
    classes = "ipuaro-note ipuaro-lines" if is_proposed else "ipuaro-note"
    return element("div", escape(before + diff.heading_text(shown)), class_=classes)
