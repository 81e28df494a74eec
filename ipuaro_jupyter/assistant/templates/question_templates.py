"""The questions in files that can be asked in a project, and asking with one of them."""

import re
from collections.abc import Callable, Container, Iterator
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from ipuaro_jupyter.assistant.templates.template_file import (
    QuestionTemplate,
    named,
    templates_in,
    unread_folders,
)
from ipuaro_jupyter.cancellation import checkpoint, deciding
from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.settings.settings import user_file
from ipuaro_jupyter.settings.trust import is_trusted_template, trust_template
from ipuaro_jupyter.stopwatch import thinking

OWN_FOLDERS = ("commands", "skills")
PROJECT_FOLDERS = (".ipuaro/commands", ".ipuaro/skills", ".claude/commands", ".agents/skills")
_TYPED = re.compile(r"/(?P<name>[A-Za-z][\w-]*)(?:\s+(?P<rest>.*))?", re.DOTALL)
_REASON = (
    "This text came with the project. If you trust it, it is sent as your question, with what you "
    "have typed after the name; it permits nothing that is not asked about otherwise. You are "
    "asked again when the file changes."
)


class TypedTemplate(NamedTuple):
    """A message that asks with a template, and what follows the name."""

    template: QuestionTemplate
    arguments: str


def question_templates(root: Path, taken: Container[str]) -> dict[str, QuestionTemplate]:
    """The questions in files, by name; the user's own come before the project's.

    Args:
        root: The project.
        taken: Names that mean something else.
    """
    found: dict[str, QuestionTemplate] = {}
    for one in _templates(root):
        found.setdefault(one.name, one)
    return {name: one for name, one in found.items() if name not in taken}


def without_use(root: Path, taken: Container[str]) -> Iterator[str]:
    """Yield a sentence for each file, and each folder with files, that cannot be asked with.

    Args:
        root: The project.
        taken: Names that mean something else.
    """
    for one in _templates(root):
        if one.name in taken:
            yield f"{one.place} is not used: /{one.name} is a command already. Rename the file."
    for folder in _folders(root):
        for name in unread_folders(folder.place):
            yield (
                f"{folder.shown}/{name} is not looked into: a question is a file of "
                f"{folder.shown} itself, or a folder with a SKILL.md."
            )


def _templates(root: Path) -> Iterator[QuestionTemplate]:
    """Yield all questions in files, the user's own first; several may have the same name."""
    for folder in _folders(root):
        yield from templates_in(folder.place, inside=folder.inside)


class _QuestionFolder(NamedTuple):
    """A folder for questions.

    ``shown`` is how it is shown. ``inside`` is the project, which links may not lead out of; None
    for the user's own folders.
    """

    place: Path
    shown: str
    inside: Path | None = None


def _folders(root: Path) -> Iterator[_QuestionFolder]:
    """Yield the folders for questions, the user's own first."""
    own = user_file().parent
    yield from (_QuestionFolder(own / name, str(own / name)) for name in OWN_FOLDERS)
    yield from (_QuestionFolder(root / name, name, root) for name in PROJECT_FOLDERS)


def typed_template(message: str, root: Path, taken: Container[str]) -> TypedTemplate | None:
    """The template that a message asks with; None when it is another message."""
    match = _TYPED.fullmatch(message.rstrip())
    if match is None:
        return None
    template = question_templates(root, taken).get(named(match["name"]))
    if template is None:
        return None
    return TypedTemplate(template, (match["rest"] or "").strip())


def question_of(
    typed: TypedTemplate,
    root: Path,
    decide: Callable[[Proposal], Decision],
    note: Callable[[Proposal, Decision], None],
) -> str:
    """The text of the question; asks first whether the user trusts a file of the project.

    Args:
        typed: What was typed.
        root: The project.
        decide: Asks the user.
        note: Logs the decision.

    Raises:
        SettingsError: The file cannot be used, or the user does not trust it.
        Cancelled: The user pressed stop instead.
    """
    template = typed.template
    if template.problem:
        raise SettingsError(template.problem)
    if not template.is_own and not is_trusted_template(root, template.content):
        proposal = Proposal(
            id=uuid4().hex,
            kind="settings",
            tool="ask",
            title=f"Trust /{template.name}: {template.place}",
            path=template.place,
            message=template.content.decode(),
            reason=_REASON,
        )
        with deciding(), thinking():
            decision = decide(proposal)
        checkpoint()
        note(proposal, decision)
        if decision.action != "apply":
            raise SettingsError(_refused(template, decision))
        trust_template(root, template.content)
    return template.question(typed.arguments)


def _refused(template: QuestionTemplate, decision: Decision) -> str:
    told = f"/{template.name} was not asked: {template.place} came with the project"
    if decision.by == "nobody":
        folder = user_file().parent / OWN_FOLDERS[0]
        remedy = f"Ask in a notebook or a terminal, or copy the file to {str(folder)!r}."
        return f"{told}, and there was nobody to ask whether you trust it. {remedy}"
    return f"{told}, and you do not trust it."
