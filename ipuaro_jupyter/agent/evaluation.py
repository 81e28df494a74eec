"""The evaluation of an answer: its names against the project, the rest by the model."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing

from ipuaro_jupyter.agent.checking import Checker
from ipuaro_jupyter.agent.context.answer_mentions import answer_mentions
from ipuaro_jupyter.agent.context.prompt_files import prompt_file
from ipuaro_jupyter.agent.context.tokens import count_tokens, message_tokens, shorten
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ModelError
from ipuaro_jupyter.index.code_index import CodeIndex
from ipuaro_jupyter.llm import Model
from ipuaro_jupyter.llm.metered import metered
from ipuaro_jupyter.llm.text_calls.reply_parser import parse_reply
from ipuaro_jupyter.llm.turn_marks import joined_messages, plain
from ipuaro_jupyter.records.chat import Message, Usage
from ipuaro_jupyter.records.evaluation import Evaluation
from ipuaro_jupyter.sessions.recording import turns_of, visible_texts
from ipuaro_jupyter.tools.source_lines import numbered
from ipuaro_jupyter.workspace.workspace import Workspace

_AROUND = 2
_MOST_LINES = 40
_FEW = 3
_MOST_FINDINGS = 200
_CODE_SHARE, _ANSWER_SHARE = 0.5, 0.3
_REQUEST_SHARE = 0.7
_REPLY_TOKENS = 1000
_LONGEST_PROBLEM, _LONGEST_REVIEW = 600, 20_000  # characters


def evaluate(
    answer: str,
    index: CodeIndex,
    workspace: Workspace,
    *,
    question: str = "",
    ignored: Collection[str] = (),
) -> Evaluation:
    """The names in an answer, each checked against the project as it is now.

    Args:
        answer: The text of the answer, in Markdown. Code blocks are ignored.
        index: The project's symbols.
        workspace: Its files.
        question: The message that was answered.
        ignored: Names that are not the project's, such as those of our tools.

    Raises:
        StorageError: Redis has gone.
    """
    named = answer_mentions(answer)
    checker = Checker(index, workspace, places=named.places, ignored=ignored)
    found = dict.fromkeys(checker.findings(named))
    return Evaluation(question=question, findings=tuple(found)[:_MOST_FINDINGS])


def reviewed(
    evaluation: Evaluation,
    answer: str,
    *,
    model: Model,
    code: Mapping[str, str],
    hidden: Callable[[str], str],
    spend: Callable[[Usage], object],
    cancel: CancelToken,
) -> Evaluation:
    """An evaluation with the model's review of the rest, or a notice why there is none.

    Args:
        evaluation: The findings.
        answer: The text of the answer.
        model: It is asked without tools.
        code: The lines that the answer is about, by their place; see `code_of`.
        hidden: Returns a text without its secrets.
        spend: Gets what the review took, however it ends.
        cancel: Stops it.

    Raises:
        Cancelled: ``cancel`` was set.
    """

    def spent(text: str, usage: Usage | None) -> None:
        spend(usage or _estimated(asked, text) or Usage())

    raw, usage, problem = "", None, ""
    asked: tuple[Message, ...] = ()
    try:
        model.prepare(cancel)
        system, told = _request(evaluation, answer, code=code, room=_room(model))
        asked = (system, told.model_copy(update={"content": hidden(told.content)}))
        with closing(
            metered(model.chat(joined_messages(asked), tools=(), cancel=cancel), spent)
        ) as chunks:
            for chunk in chunks:
                raw += chunk.text
                usage = chunk.usage or usage
                if len(raw) > _LONGEST_REVIEW:
                    break
    except ModelError as error:
        asked, problem = (), _shortened(str(error))
    review = plain(parse_reply(raw, (), aliases={}).text).strip()
    if not review and not problem:
        problem = "it wrote nothing"
    return evaluation.model_copy(
        update={
            "review": review,
            "notice": f"The model has not reviewed the rest: {problem}" if problem else "",
            "model": model.name,
            "usage": usage or _estimated(asked, raw),
        }
    )


def _estimated(asked: Sequence[Message], raw: str) -> Usage | None:
    """The estimated usage of a request; None when there was none."""
    if not asked:
        return None
    prompt = round(sum(map(message_tokens, asked)))
    return Usage(prompt_tokens=prompt, completion_tokens=round(count_tokens(raw)), estimated=True)


def code_of(answer: str, index: CodeIndex, workspace: Workspace) -> dict[str, str]:
    """The numbered lines that an answer is about, by their place.

    They are the lines that it names with a few around them, and the declarations of the symbols
    that it names, unless these are many and none is at the stated place; of each at most forty.

    Raises:
        StorageError: Redis has gone.
    """
    named = answer_mentions(answer)
    checker = Checker(index, workspace, places=named.places)
    wanted: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for place in named.places:
        if place.first is not None and place.last is not None:
            for path in checker.files(place.path)[:1]:
                wanted[path].append((place.first - _AROUND, place.last + _AROUND))
    for symbol in named.symbols:
        places = checker.defined(symbol.name)
        if places and (len(places) <= _FEW or checker.is_about(places[0].path)):
            wanted[places[0].path].append(checker.range_of(places[0]))
    code: dict[str, str] = {}
    for path, ranges in wanted.items():
        lines = checker.lines(path) or ()
        for first, last in _merged(ranges, len(lines)):
            code[f"{path}:{first}-{last}"] = numbered(lines[first - 1 : last], first)
    return code


def _merged(ranges: Iterable[tuple[int, int]], count: int) -> list[tuple[int, int]]:
    """Ranges in order, within a file of ``count`` lines, adjacent ones joined."""
    found: list[tuple[int, int]] = []
    for wanted_first, wanted_last in sorted(ranges):
        first = max(1, wanted_first)
        last = min(count, wanted_last, first + _MOST_LINES - 1)
        if first > last:
            continue
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            found.append((first, last))
    return found


def _room(model: Model) -> float:
    """The number of tokens available for the request."""
    window = model.context_tokens
    return min(_REQUEST_SHARE * window, window - _REPLY_TOKENS)


def _shortened(problem: str) -> str:
    """The problem, which may quote all of the request, in a few lines."""
    half = _LONGEST_PROBLEM // 2
    return problem if len(problem) <= 2 * half else f"{problem[:half]} … {problem[-half:]}"


def _request(
    evaluation: Evaluation, answer: str, *, code: Mapping[str, str], room: float
) -> tuple[Message, Message]:
    """The messages that ask for a review, shortened if necessary."""
    system = Message(role="system", content=prompt_file("review.md"))
    room -= message_tokens(system)
    told = [f"- {f.verdict}: {f.named}: {f.detail}" for f in evaluation.findings]
    parts = {
        "The question": shorten(evaluation.question, room * (1 - _CODE_SHARE - _ANSWER_SHARE) / 2),
        "The answer": shorten(answer, room * _ANSWER_SHARE),
        "What programs found": shorten(
            "\n".join(told) or "It names nothing that they can check.",
            room * (1 - _CODE_SHARE - _ANSWER_SHARE) / 2,
        ),
        "The code": _code_within(code, room * _CODE_SHARE),
    }
    content = "\n\n".join(f"## {title}\n\n{text}" for title, text in parts.items())
    return system, Message(role="user", content=content)


def _code_within(code: Mapping[str, str], room: float) -> str:
    """As many of the places as fit, in the order in which the answer names them."""
    parts: list[str] = []
    for place, lines in code.items():
        part = f"{place}\n{lines}"
        room -= count_tokens(part) + 1
        if room < 0:
            break
        parts.append(part)
    left = len(code) - len(parts)
    parts += [f"[{left} more places are left out to save room.]"] if left else []
    return "\n\n".join(parts) or "The answer names no code of the project."


def last_answer(messages: Sequence[Message]) -> tuple[str, str] | None:
    """The latest message of the user with an answer, and the answer; None without one."""
    for turn in reversed(list(turns_of(messages))):
        last = turn[-1]
        if last.role == "assistant" and not last.calls and not last.interrupted:
            text = visible_texts(turn)[len(turn) - 1]
            if text:
                return turn[0].content, text
    return None
