"""The receipt of an answer."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence

from ipuaro_jupyter.agent.checking import Checker
from ipuaro_jupyter.agent.context.answer_mentions import AnswerMentions, answer_mentions
from ipuaro_jupyter.agent.receipts.claims import Claims, Falsehood
from ipuaro_jupyter.agent.receipts.code_blocks import block_marks
from ipuaro_jupyter.agent.receipts.line_digests import LineDigests
from ipuaro_jupyter.index.code_index import CodeIndex
from ipuaro_jupyter.index.storage.questions import IndexQuestion, asking
from ipuaro_jupyter.records.receipt import Cited, Receipt, ReceiptMark
from ipuaro_jupyter.workspace.workspace import Workspace

_MOST_MARKS, _MOST_HELD = 100, 200
_LINK = re.compile(r"\[[^\[\]\n]*\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)")
_CALLED = re.compile(r"\([^()\n]*\)")


def receipt_of(
    answer: str,
    index: CodeIndex,
    workspace: Workspace,
    *,
    wanted: str = "",
    ignored: Collection[str] = (),
    given: Sequence[str] = (),
    changed: Collection[str] = (),
    unseen: str = "",
    read: Mapping[str, Sequence[tuple[int, int]]] | None = None,
) -> Receipt:
    """What of an answer's claims is not in the code as it is now.

    Args:
        answer: Its text, in Markdown. Code blocks are looked at for what `block_marks` tells.
        index: The project's symbols.
        workspace: Its files.
        wanted: A question that asks for something new, the names of which need not be there.
        ignored: Names that are not the project's, such as those of our tools.
        given: Texts that the names may come from: what tools returned and the user attached.
        changed: The paths that the turn has changed.
        unseen: What the tools could not see.
        read: The lines that the model has read; see `Claims`.

    Raises:
        StorageError: Redis has gone.
    """
    named = answer_mentions(answer)
    with asking(IndexQuestion()):
        checker = Checker(index, workspace, places=named.places, ignored=ignored)
        claims = Claims(
            answer,
            named,
            checker=checker,
            index=index,
            given=given,
            changed=changed,
            wanted=wanted,
            read=read,
        )
        claims.look()
        cited = tuple(_cited(named, checker))
        blocks = block_marks(answer, index, workspace, wanted=wanted)
        is_sure = not index.doubts
    links = [found.span() for found in _LINK.finditer(answer)] if claims.false else []
    marks = {_mark(answer, links, one) for one in claims.false} if is_sure else set()
    return Receipt(
        marks=tuple(sorted(marks, key=lambda mark: (mark.at, mark.named)))[:_MOST_MARKS],
        held=tuple(claims.held)[:_MOST_HELD],
        cited=cited[:_MOST_HELD],
        blocks=blocks[:_MOST_MARKS] if is_sure else (),
        unseen=unseen,
    )


def _mark(answer: str, links: Sequence[tuple[int, int]], false: Falsehood) -> ReceiptMark:
    return ReceiptMark(
        at=_place(answer, links, false.end),
        word=false.word,
        named=false.finding.named,
        detail=false.finding.detail,
        closest=false.finding.closest,
    )


def _cited(named: AnswerMentions, checker: Checker) -> Iterator[Cited]:
    """Yield the lines that are there, each range once."""
    seen, digests = set(), dict[str, LineDigests]()
    for place in named.places:
        files = checker.files(place.path)
        if place.first is None or place.last is None or len(files) != 1:
            continue
        key = (files[0], place.first, place.last)
        if key in seen:
            continue
        seen.add(key)
        if files[0] not in digests:
            digests[files[0]] = LineDigests(checker.lines(files[0]) or ())
        digest = digests[files[0]].of(place.first, place.last)
        if digest:
            yield Cited(path=files[0], first=place.first, last=place.last, digest=digest)


def _place(text: str, links: Sequence[tuple[int, int]], end: int) -> int:
    """Where the mark of what ends there belongs: behind a call's brackets, and behind a link."""
    called = _CALLED.match(text, end)
    end = called.end() if called else end
    before = bisect_left(links, (end,))
    return max(end, links[before - 1][1]) if before else end
