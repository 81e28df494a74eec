"""What speaks against what a decision would write, which may be another text than was proposed."""

from collections.abc import Iterator

from ipuaro_jupyter.records.change import Change, Decision, Proposal
from ipuaro_jupyter.views.change_sets.set_choice import chosen_of, picked_files, written
from ipuaro_jupyter.views.decided import chosen_text
from ipuaro_jupyter.workspace.changes.change_proposal import part_problems, text_problems


def decided_problems(question: Proposal, decision: Decision) -> tuple[str, ...]:
    """The problems of what a decision to apply would write, one line each; see `Proposal`.

    Args:
        question: What is proposed.
        decision: The choice of changes or files, and the text that the user typed.
    """
    return (*_others(question), *_of_texts(question, decision))


def as_decided_on(question: Proposal, decision: Decision) -> Proposal:
    """The question, with the problems of what was decided to be written."""
    if decision.action != "apply" or not _is_of_files(question):
        return question
    if decision.text is None and decision.hunks is None and decision.chosen is None:
        return question
    texts = tuple(_of_texts(question, decision))
    problems = (*_others(question), *texts)
    return question.model_copy(update={"problems": problems, "text_problems": texts})


def _others(question: Proposal) -> tuple[str, ...]:
    """The problems that do not depend on the text."""
    return tuple(one for one in question.problems if one not in question.text_problems)


def _is_of_files(question: Proposal) -> bool:
    return question.kind in {"edit", "create", "changes"}


def _of_texts(question: Proposal, decision: Decision) -> Iterator[str]:
    if question.kind == "changes":
        for one in written(picked_files(question, chosen_of(question, decision))):
            for problem in _problems(one.file.path, one.file.old_text, one.file.new_text):
                yield f"{one.file.path}: {problem}"
    elif _is_of_files(question):
        new = decision.text
        if new is None:
            new = chosen_text(question, decision.hunks)
        if question.part:
            yield from part_problems(question.language, question.old_text, new)
        else:
            yield from _problems(question.path or "", question.old_text, new)


def _problems(path: str, before: str | None, after: str | None) -> tuple[str, ...]:
    old, new = (None if text is None else text.encode() for text in (before, after))
    return text_problems(Change(path=path, before=old, after=new))
