"""What a question is about, as a model may read it: within so many tokens, and without secrets."""

from ipuaro_jupyter.agent.context.tokens import count_tokens
from ipuaro_jupyter.agent.questions.message_kind import kind_of
from ipuaro_jupyter.agent.redaction import NOTHING, Redaction, known_in
from ipuaro_jupyter.garbage import uncollected
from ipuaro_jupyter.index.evidence_text import evidence_of
from ipuaro_jupyter.index.storage.questions import IndexQuestion, asking
from ipuaro_jupyter.records.evidence import Evidence
from ipuaro_jupyter.tools.tool import Project


def redacted_evidence(
    project: Project, question: str, tokens: int, redaction: Redaction
) -> Evidence:
    """What a question is about, see `evidence_of`.

    Raises:
        StorageError: Redis has gone.
    """

    def hidden(text: str, path: str, around: str) -> str:
        known = known_in([(around, path)]) if redaction.enabled and around else NOTHING
        return redaction.text(text, path, known)

    with asking(IndexQuestion()), uncollected():
        found = evidence_of(
            project.index,
            question,
            tokens=tokens,
            size=count_tokens,
            hidden=hidden,
            kind=kind_of(question).kind,
        )
    return found.model_copy(update={"root": str(project.workspace.root)})
