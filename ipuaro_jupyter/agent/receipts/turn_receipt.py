"""The receipt of a turn: of its answer, by what it has done."""

import logging
import re
from collections.abc import Iterator, Sequence

from ipuaro_jupyter.agent.receipts.receipt import receipt_of
from ipuaro_jupyter.errors import IpuaroError
from ipuaro_jupyter.records.change import Change, text_of
from ipuaro_jupyter.records.chat import CalledTool
from ipuaro_jupyter.records.evidence import Evidence
from ipuaro_jupyter.records.index_answer import IndexAnswer
from ipuaro_jupyter.records.receipt import OfferedEdit, Receipt
from ipuaro_jupyter.records.unread import IncompleteOutput, NotLookedAt, UnreadFiles
from ipuaro_jupyter.sessions.session import Session
from ipuaro_jupyter.tools import Tools
from ipuaro_jupyter.tools.tool import Project

_log = logging.getLogger(__name__)

_MAKING = re.compile(
    r"\b(?:add|create|make|write|introduce|implement|rename|move|extract|split|build|generate"
    r"|propose|suggest|plan|design|füge?|erstelle?|schreibe?|benenne|ajoute[rz]?|crée[rz]?|crea"
    r"|añade|écris|escribe)\b|добав|созда|напиши|переимен",
    re.IGNORECASE,
)
_EDGE = r"(?:(?<![\w$])|(?![\w$]))"  # a place that is not inside a word


def kept_receipt(
    text: str,
    project: Project,
    session: Session,
    tools: Tools,
    *,
    done: tuple[Sequence[CalledTool], Sequence[Change]],
    found: IndexAnswer | None = None,
    edits: tuple[OfferedEdit, ...] = (),
) -> Receipt:
    """The receipt of the answer to a session's newest message, kept with the answer.

    It is empty when it cannot be made.

    Args:
        text: The answer.
        project: The project.
        session: It has the message and the answer.
        tools: Their names are not the project's.
        done: The calls of the turn, with their results, and what it has changed.
        found: What the index has said, of which a model that called nothing has read no more.
        edits: Those in the answer that can be proposed.
    """
    called, changed = done
    asked = next((one for one in reversed(session.messages) if one.role == "user"), None)
    if asked is None or not text:
        return Receipt()
    given = [*(one.text for one in asked.attached), asked.context, *_told(called)]
    evidence = None if found is None else found.evidence
    given += [evidence.text] if evidence is not None else []
    is_all = found is not None and not (called or found.looked_at)
    given += [text_of(one.before) or "" for one in changed]
    try:
        receipt = receipt_of(
            text,
            project.index,
            project.workspace,
            wanted=asked.content if _MAKING.search(asked.content) else "",
            ignored=[tool.name for tool in tools],
            given=[*given, *_cells(project)],
            changed=[one.path for one in changed],
            unseen=_unseen(called),
            read=_read(evidence) if evidence is not None and evidence.excerpts and is_all else None,
        )
        receipt = receipt.model_copy(update={"edits": edits})
        if receipt and session.messages[-1].role == "assistant":
            session.add_receipt(receipt)
    except IpuaroError as error:  # the answer matters more
        _log.info("The answer could not be checked: %s", error)
        return Receipt()
    return receipt


def _read(evidence: Evidence) -> dict[str, list[tuple[int, int]]]:
    """The lines of the source that a model has got, by file."""
    lines: dict[str, list[tuple[int, int]]] = {}
    for one in evidence.excerpts:
        lines.setdefault(one.symbol.path, []).append((one.symbol.line, one.symbol.end))
    return lines


def _told(called: Sequence[CalledTool]) -> Iterator[str]:
    """Yield what the calls proposed, and what they returned without the names that they gave."""
    for one in called:
        words = [value for value in one.call.arguments.values() if isinstance(value, str) and value]
        if one.proposals or one.decided:
            yield "\n".join(words)
        if one.result.success:
            given = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
            told = one.result.text()
            yield re.sub(f"{_EDGE}(?:{given}){_EDGE}", " ", told) if words else told


def _cells(project: Project) -> Iterator[str]:
    """Yield the sources of the notebook's cells: names in them need not be in a file."""
    if project.kernel is not None:
        yield from (cell.source for cell in project.kernel.kernel.cells())


def _unseen(called: Sequence[CalledTool]) -> str:
    """What the tools could not see, all of them together; "" where that did not matter."""
    kinds: dict[tuple[str, bool], UnreadFiles] = {}
    naming: dict[str, None] = {}
    for one in called:
        output = one.result.output
        if not isinstance(output, IncompleteOutput) or output.unread_with_name == ():
            continue
        naming |= dict.fromkeys(output.unread_with_name or ())
        for kind in output.not_looked_at:
            key = (kind.extension, bool(kind.in_part))
            if key not in kinds or kinds[key].files < kind.files:
                kinds[key] = kind
    ordered = sorted(kinds.values(), key=lambda kind: (bool(kind.in_part), -kind.files))
    return NotLookedAt(kinds=tuple(ordered), naming=tuple(naming) or None).remark
