"""Questions about proposals to the user of an MCP client, which MCP calls elicitation."""

import asyncio
import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import mcp_types as types
from mcp import MCPError
from mcp.server.context import ServerRequestContext

from ipuaro_jupyter.errors import Cancelled
from ipuaro_jupyter.records.change import Decision, Proposal
from ipuaro_jupyter.views.change_sets.set_choice import typed_choice
from ipuaro_jupyter.views.diffs.unseen import unseen_note
from ipuaro_jupyter.views.proposal import detail_text, unseen_in
from ipuaro_jupyter.workspace.processes.head_tail import shortened

Context = ServerRequestContext[Any, Any]
QUESTION = "question"
"""The name of the question among the inputs that a call asks for."""

_QUESTION_LIMIT = 60_000  # bytes of a question
_ANSWER_S = 1800.0
_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {
        "apply": {"type": "boolean", "title": "Apply it", "default": True},
        "reason": {"type": "string", "title": "If not, why", "description": "The model is told."},
    },
}
_FILES: dict[str, Any] = {
    "type": "string",
    "title": "Which files",
    "description": 'Numbers such as "1 4.2" for file 1 and change 2 of file 4. '
    "Empty: the files with [x].",
}


class QuestionRaised(Cancelled):
    """Stops a tool at a question that it asks."""

    def __init__(self, proposal: Proposal) -> None:
        super().__init__()
        self.proposal = proposal


class ClientAnswer(NamedTuple):
    """A decision on a question; ``files`` chooses among those of a change set, "" does not."""

    decision: Decision
    files: str = ""

    def on(self, proposal: Proposal) -> Decision:
        """The decision on the proposal that was asked about."""
        if self.decision.action == "reject" or proposal.kind != "changes" or not self.files.strip():
            return self.decision
        picked = typed_choice(proposal, self.files)
        if picked is None:
            told = f"the files are 1 to {len(proposal.changed)}, and {self.files!r} names others"
            return Decision(action="reject", reason=told)
        return self.decision.model_copy(update={"chosen": picked})


@dataclass
class Answers:
    """The user's decisions on the questions of one call.

    A question is identified by the hash of what is shown, without what a check of it has found,
    which differs from run to run. ``asked`` is the pending one.
    """

    decided: dict[str, ClientAnswer] = field(default_factory=dict)
    asked: str = ""

    @classmethod
    def read(cls, params: types.CallToolRequestParams) -> "Answers":
        """The decisions that come with a call when it is sent again."""
        state: Any = None
        with suppress(ValueError):
            state = json.loads(params.request_state or "null")
        applied = state.get("applied") if isinstance(state, dict) else None
        if not isinstance(applied, dict):
            return cls()
        apply = Decision(action="apply")
        answers = cls({key: ClientAnswer(apply, str(files)) for key, files in applied.items()})
        response = (params.input_responses or {}).get(QUESTION)
        if isinstance(response, types.ElicitResult):
            answers.decided[str(state.get("asked"))] = _client_answer(response)
        return answers

    @property
    def state(self) -> str:
        """The state that the client sends back with the repeated call."""
        applied = {
            key: reply.files
            for key, reply in self.decided.items()
            if reply.decision.action == "apply"
        }
        return json.dumps({"asked": self.asked, "applied": applied})

    def confirm(self, proposal: Proposal) -> Decision:
        """The decision on a proposal.

        Raises:
            QuestionRaised: There is none yet.
        """
        content = proposal.model_dump_json(exclude={"id", "check", "checked"})
        self.asked = hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()
        if self.asked not in self.decided:
            raise QuestionRaised(proposal)
        return self.decided[self.asked].on(proposal)


def can_ask(context: Context) -> bool:
    """Whether the client shows forms to its user; a client that names no modes does."""
    capabilities = context.session.client_capabilities
    asks = None if capabilities is None else capabilities.elicitation
    return asks is not None and (asks.form is not None or asks.url is None)


def form(raised: QuestionRaised) -> types.ElicitRequestFormParams:
    """The question as a client shows it."""
    shown, schema = _shown(raised.proposal), _schema(raised.proposal)
    return types.ElicitRequestFormParams(message=shown, requested_schema=schema)


def _schema(proposal: Proposal) -> dict[str, Any]:
    """The fields of the question; the first says how much of a long diff was left out."""
    apply, reason = _FORM["properties"]["apply"], _FORM["properties"]["reason"]
    if left := unseen_note(unseen_in(proposal).lines):
        apply = {**apply, "title": f"Apply it ({left})"}
    choice = {"files": _FILES} if proposal.kind == "changes" else {}
    return {**_FORM, "properties": {"apply": apply, **choice, "reason": reason}}


def _shown(proposal: Proposal) -> str:
    return shortened(detail_text(proposal, offers_check=False), _QUESTION_LIMIT)


async def elicited(context: Context, proposal: Proposal) -> ClientAnswer:
    """Ask the client's user."""
    try:
        async with asyncio.timeout(_ANSWER_S):
            answer = await context.session.elicit_form(
                _shown(proposal), _schema(proposal), related_request_id=context.request_id
            )
    except TimeoutError:
        return nobody(f"no answer within {_ANSWER_S / 60:.0f} minutes")
    except MCPError as error:
        return nobody(f"the MCP client could not ask: {error.message}")
    return _client_answer(answer)


def _client_answer(answer: types.ElicitResult) -> ClientAnswer:
    content = answer.content or {}
    if answer.action == "accept" and content.get("apply", True) is True:
        return ClientAnswer(Decision(action="apply"), str(content.get("files") or ""))
    dismissed = "the question was dismissed" if answer.action == "cancel" else ""
    return ClientAnswer(Decision(action="reject", reason=str(content.get("reason") or dismissed)))


def nobody(reason: str) -> ClientAnswer:
    """The rejection where nobody can be asked, or nobody answers."""
    return ClientAnswer(Decision(action="reject", by="nobody", reason=reason))
