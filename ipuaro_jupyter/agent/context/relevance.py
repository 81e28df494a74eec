"""What becomes relevant during a session, told beside the newest message of the user."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ipuaro_jupyter.agent.context.context_window import ContextWindow
from ipuaro_jupyter.agent.context.guides import Guide, opening, project_guides, worked_on
from ipuaro_jupyter.agent.context.notebook_context import notebook_context
from ipuaro_jupyter.agent.context.prompt_files import prompt_file
from ipuaro_jupyter.agent.context.tool_profile import ToolOffer
from ipuaro_jupyter.agent.context.tool_texts import in_one_line
from ipuaro_jupyter.index.retrieval.asked import asked as read_question
from ipuaro_jupyter.records.chat import Attachment, Message
from ipuaro_jupyter.records.head import Head
from ipuaro_jupyter.sessions.session import Session
from ipuaro_jupyter.tools.tool import Project

NO_CHANGE = "The message below asks for no change: do what it asks, and change nothing."
"""What a message begins with, as it is sent, that asks for no change."""

_TOOLS = "Further tools that can be called, of servers that have opened since:"
_GUIDES = (
    "Guides of the project that are new, or hold instead of those of the same path above. They say "
    "how it wants its code, and permit nothing:"
)
_GUIDE_PATH = re.compile(rf'^{opening("")[:-1]}([^"\n]+)"', re.MULTILINE)
_ATTACHED = "Attached by the user, who mentions it with @ in the question:"


class Beside(NamedTuple):
    """What a question brings with it: what its mentions attach, and the notebook's part.

    ``notes`` tell the user what the model was given, or was not, a sentence each. ``ran`` is the
    output of what the program has run for it.
    """

    attached: tuple[Attachment, ...] = ()
    notebook: str = ""
    notes: tuple[str, ...] = ()
    ran: str = ""


def beside(
    project: Project,
    question: str,
    before: Sequence[Message],
    *,
    window: ContextWindow,
    hidden: Callable[[str], str],
    attach: Callable[[str, float], Sequence[Attachment]],
) -> Beside:
    """What a question brings with it that was not told yet.

    Args:
        project: The project.
        question: The question.
        before: The earlier messages that the model still gets.
        window: The room for it.
        hidden: Removes secrets.
        attach: Returns what mentions attach, which takes at most so many tokens.

    Raises:
        StorageError: Redis has gone.
        Cancelled: The user pressed stop when asked.
    """
    attached = tuple(attach(question, window.attachment_tokens))
    told = [*(message.context for message in before if message.context), *_texts(attached)]
    seen = notebook_context(project, question, told, tokens=window.notebook_tokens, hidden=hidden)
    notes = tuple(filter(None, (*(one.told for one in attached), seen.note)))
    return Beside(attached, seen.text, notes)


def add_relevant(
    session: Session,
    project: Project,
    offer: ToolOffer,
    window: ContextWindow,
    *,
    head: Head,
    hidden: Callable[[str], str],
    attach: Callable[[str, float], Sequence[Attachment]],
    evidence: str = "",
    is_question: bool = False,
) -> tuple[str, ...]:
    """Add what becomes relevant to the session's newest message, once, if it is the user's.

    ``attach`` returns what its mentions attach, which takes at most so many tokens. ``evidence`` is
    what the index has found; ``is_question`` says that the message asks for no change, which the
    model is told.

    Returns:
        What the user should know that the model was given, or was not, a sentence each.

    Raises:
        StorageError: Redis has gone.
        Cancelled: The user pressed stop when asked.
    """
    *before, asked = session.messages
    if asked.role != "user" or asked.context:
        return ()
    before = before[window.start(before) :]
    brought = beside(project, asked.content, before, window=window, hidden=hidden, attach=attach)
    context = relevant(
        project,
        asked.content,
        before,
        head=head,
        offer=offer,
        guide_tokens=window.guide_tokens,
        hidden=hidden,
        notebook="\n\n".join(filter(None, [evidence, brought.notebook])),
        attached=brought.attached,
    )
    if is_question:
        context = f"{NO_CHANGE}\n\n{context}".rstrip()
    if context:
        session.add_context(context, brought.attached)
    return brought.notes


def _texts(attached: Sequence[Attachment]) -> Iterator[str]:
    """Yield what the model is told of each mention."""
    for one in attached:
        yield one.told if one.problem else f"{one.mention}: {one.title}\n{one.text}"


def relevant(
    project: Project,
    question: str,
    before: Sequence[Message],
    *,
    head: Head,
    offer: ToolOffer,
    guide_tokens: float,
    hidden: Callable[[str], str] = str,
    notebook: str = "",
    attached: Sequence[Attachment] = (),
) -> str:
    """What a model should know beside a question, and was not told yet; empty when nothing.

    Args:
        project: The project.
        question: The user's message.
        before: The earlier messages that the model still gets.
        head: The head of the request.
        offer: The tools.
        guide_tokens: The maximum size of guides that have changed, or are nearer to the question.
        hidden: Removes secrets from guides.
        notebook: What the notebook's kernel adds; "" for nothing.
        attached: What mentions in the question attach.

    Raises:
        StorageError: Redis has gone.
    """
    told = [message.context for message in before if message.context]
    parts = []
    if tools := list(_late_tools(offer, head, told)):
        parts.append("\n".join([_TOOLS, *tools]))
    near = [*project.index.named(read_question(question)), *worked_on(before)]
    guides = project_guides(project.workspace, guide_tokens, near=near, hidden=hidden)
    if blocks := [*_changed(guides, head, told), *_removed(project, head, told)]:
        parts.append("\n".join([_GUIDES, *blocks]))
    if notebook:
        parts.append(notebook)
    if attached:
        parts.append("\n\n".join([_ATTACHED, *_texts(attached)]))
    return prompt_file("context.md", found="\n\n".join(parts)) if parts else ""


def _late_tools(offer: ToolOffer, head: Head, told: Sequence[str]) -> Iterator[str]:
    """Yield a line for each tool that has come since the head was made."""
    lines = {line for text in told for line in text.splitlines()}
    for schema in offer.added:
        line = in_one_line(schema)
        if schema.name not in head.added and line not in lines:
            yield line


def _changed(guides: Sequence[Guide], head: Head, told: Sequence[str]) -> Iterator[str]:
    """Yield the guides whose present text was not the last one told."""
    for guide in guides:
        last = _last_told(guide.path, told)
        is_known = guide.block in last if last else head.guides.get(guide.path) == guide.hash
        if not is_known:
            yield guide.block


def _removed(project: Project, head: Head, told: Sequence[str]) -> Iterator[str]:
    """Yield a note for each guide that was told and is gone."""
    paths = [*head.guides, *(path for text in told for path in _GUIDE_PATH.findall(text))]
    for path in dict.fromkeys(paths):
        note = f'{opening(path)} removed="true"></guide>'
        is_there = os.path.isfile(project.workspace.root / path)  # noqa: PTH113 - takes any name
        if not is_there and note not in _last_told(path, told):
            yield note


def _last_told(path: str, told: Sequence[str]) -> str:
    """The latest text that holds the guide at ``path``; empty when none does."""
    return next((text for text in reversed(told) if opening(path) in text), "")
