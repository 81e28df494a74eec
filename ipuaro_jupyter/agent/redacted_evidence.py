"""What a question is about, as a model may read it: within so many tokens, and without secrets."""

from ipuaro_jupyter.agent.context.tokens import count_tokens
from ipuaro_jupyter.agent.redaction import Known, Redaction, known_in
from ipuaro_jupyter.index.evidence_text import evidence_of
from ipuaro_jupyter.records.evidence import Evidence
from ipuaro_jupyter.tools.tool import Project


def redacted_evidence(
    project: Project, question: str, tokens: int, redaction: Redaction
) -> Evidence:
    """What a question is about, see `evidence_of`.

    Raises:
        StorageError: Redis has gone.
    """
    secrets: dict[str, Known] = {}

    def hidden(text: str, path: str, whole: str) -> str:
        if path not in secrets:
            secrets[path] = known_in([(whole, path)] if redaction.enabled else [])
        return redaction.text(text, path, secrets[path])

    found = evidence_of(project.index, question, tokens=tokens, size=count_tokens, hidden=hidden)
    return found.model_copy(update={"root": str(project.workspace.root)})
