"""The evaluation of the latest answer of a session."""

from collections.abc import Callable, Collection

from ipuaro_jupyter.agent.evaluation import code_of, evaluate, last_answer, reviewed
from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.llm import Model
from ipuaro_jupyter.records.chat import Usage
from ipuaro_jupyter.records.evaluation import Evaluation
from ipuaro_jupyter.sessions.session import Session
from ipuaro_jupyter.tools.tool import Project


def evaluate_latest(
    session: Session,
    project: Project,
    *,
    reviewer: Model | None,
    ignored: Collection[str],
    hidden: Callable[[str], str],
    spend: Callable[[Usage], object],
) -> Evaluation:
    """The names in the latest answer checked against the project, the rest by the model.

    Args:
        session: It has the answer.
        project: The project, and the stop button.
        reviewer: The model that reviews it; None for no review.
        ignored: Names that are not the project's.
        hidden: Returns a text without its secrets.
        spend: Gets what the review took, however it ends.

    Raises:
        SettingsError: There is no answer in the session.
        Cancelled: The stop button was pressed.
    """
    answered = last_answer(session.messages)
    if answered is None:
        raise SettingsError("There is no answer in this session yet. Ask something first.")
    question, answer = answered
    index, workspace = project.index, project.workspace
    evaluation = evaluate(answer, index, workspace, question=question, ignored=ignored)
    if reviewer is None:
        return evaluation
    return reviewed(
        evaluation,
        answer,
        model=reviewer,
        code=code_of(answer, index, workspace),
        hidden=hidden,
        spend=spend,
        cancel=project.cancel,
    )
