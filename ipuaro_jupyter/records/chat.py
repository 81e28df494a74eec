"""The conversation: messages, tool calls, a parsed reply, and the answer."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from ipuaro_jupyter.errors import ErrorType
from ipuaro_jupyter.records.change import Change, Decision
from ipuaro_jupyter.records.given_arguments import GivenArguments, given_arguments
from ipuaro_jupyter.records.index_answer import IndexAnswer
from ipuaro_jupyter.records.outputs import ToolResult
from ipuaro_jupyter.records.receipt import Receipt, SavedReceipt
from ipuaro_jupyter.records.record import Drawing, Drawn, Record
from ipuaro_jupyter.records.visible import visible


class ToolCall(Record):
    """The model's request to run a tool. ``id`` ties the result to the call."""

    name: str
    arguments: dict[str, Any]
    id: str = ""


class ToolSchema(Record):
    """A tool as a model sees it; ``parameters`` is a JSON schema of type "object"."""

    name: str
    description: str
    parameters: dict[str, Any]

    @property
    def properties(self) -> Mapping[str, Mapping[str, Any]]:
        """The JSON schemas of its parameters by name."""
        found: Mapping[str, Mapping[str, Any]] = self.parameters.get("properties", {})
        return found

    @property
    def required(self) -> Collection[str]:
        """The names of the parameters that a call must have."""
        found: Collection[str] = self.parameters.get("required", ())
        return found

    def given(self, arguments: object, *, changes: bool = False) -> GivenArguments | None:
        """What a model means by the arguments of a call; see `given_arguments`."""
        return given_arguments(self.parameters, arguments, changes=changes)

    def takes(self, arguments: Collection[str]) -> bool:
        """Whether it has parameters of all these names."""
        return set(arguments) <= set(self.properties)

    def understands(self, arguments: object) -> bool:
        """Whether all arguments of a call are for parameters that it has."""
        given = self.given(arguments)
        return given is not None and not given.problems and self.takes(given.values)


def chosen(schemas: Sequence[ToolSchema], arguments: object) -> ToolSchema | None:
    """The first tool with parameters of the very names, else the first that understands them.

    None when there is none.
    """
    if isinstance(arguments, Mapping | tuple):
        for schema in schemas:
            if schema.takes(arguments):
                return schema
    return next((schema for schema in schemas if schema.understands(arguments)), None)


class ParsedReply(Record):
    """A reply of the model, parsed.

    ``text`` is the reply without calls and thinking. ``errors`` holds one sentence for each call
    that could not be read, written for the model.
    """

    text: str
    calls: tuple[ToolCall, ...] = ()
    errors: tuple[str, ...] = ()


class Usage(Record):
    """Tokens and time of one or more requests; ``estimated`` when the model reported none.

    ``cached_tokens`` are those of the prompts that the server had kept from earlier requests.
    """

    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    duration_ms: int = 0
    estimated: bool = False

    @property
    def read_tokens(self) -> int:
        """The tokens of the prompts that the server had to read."""
        return self.prompt_tokens - self.cached_tokens

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            duration_ms=self.duration_ms + other.duration_ms,
            estimated=self.estimated or other.estimated,
        )


class ProposalCounts(Record):
    """What became of the model's proposals, and of its calls that were to change something.

    ``applied`` and ``rejected`` are proposals that a person or a setting has decided, or that were
    rejected because nobody could be asked; an applied one has also been carried out. ``failed`` are
    calls that came to nothing for another reason: a conflict, a wrong argument, a failed write.
    What runs without a question, such as a command that is known to be safe, is none of them.
    """

    applied: int = 0
    rejected: int = 0
    failed: int = 0

    @classmethod
    def of(
        cls, decisions: Collection[Decision], *, error: ErrorType | None, changes: bool
    ) -> "ProposalCounts":
        """What became of one call.

        Args:
            decisions: Those on its proposals.
            error: The type of its error; None when it succeeded.
            changes: Whether it was to change something.
        """
        applied = sum(decision.action == "apply" for decision in decisions)
        rejected = len(decisions) - applied
        if error is None or rejected:
            return cls(applied=applied, rejected=rejected)
        if error == "cancelled":  # the user left it as it was, or stopped it before a decision
            return cls(rejected=min(applied, 1), applied=max(applied - 1, 0))
        return cls(applied=max(applied - 1, 0), failed=int(changes or applied > 0))

    def __add__(self, other: "ProposalCounts") -> "ProposalCounts":
        return ProposalCounts(
            applied=self.applied + other.applied,
            rejected=self.rejected + other.rejected,
            failed=self.failed + other.failed,
        )

    def __bool__(self) -> bool:
        """Whether there was anything to count."""
        return self != ProposalCounts()

    def __str__(self) -> str:
        return f"{self.applied:,} applied, {self.rejected:,} rejected, {self.failed:,} failed"


class Attachment(Record):
    """What a mention in a question has attached to it.

    Attributes:
        mention: As typed, such as "@src/a.ts:10-20".
        title: What is attached, in words; "" when nothing is.
        text: The content as the model gets it: within its room, and without secrets.
        problem: Why nothing is attached; "" when something is.
    """

    mention: str
    title: str = ""
    text: str = ""
    problem: str = ""

    @property
    def told(self) -> str:
        """A line for the user."""
        if self.problem:
            return f"Not attached: {self.mention}: {self.problem}"
        return f"Attached: {self.title}"


class Message(Record):
    """One message of a session, as it is stored and as the model gets it.

    A "tool" message holds the result of the call ``call_id`` of the assistant message before it;
    ``result`` is that call's `ToolResult.to_dict`; without a ``call_id`` it tells the model what
    was wrong with its reply. ``raw`` is an assistant's reply as the model sent it, with its calls;
    ``content`` is without them. ``at`` is in seconds since the epoch. A "system" message of a
    session is a summary, which replaces the first ``covers`` messages when the model is asked.
    ``decisions`` are those on the questions that a call raised, in order. ``thinking`` is what the
    model thought before its calls, where the server tells it apart: it is sent back until the turn
    has ended. ``proposals`` counts what became of those of a call. ``context`` is what a model is
    told beside a message of the user; a message as it is sent has it at the beginning of its
    ``content`` too. ``attached`` is what mentions in it have attached; its texts are in the
    ``context``. ``receipt``, ``found`` and ``is_sure`` are those of the answer which ends with it.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""
    tool: str = ""
    result: dict[str, Any] | None = None
    raw: str = ""
    thinking: str = ""
    usage: Usage | None = None
    interrupted: bool = False
    at: float = 0.0
    covers: int = 0
    decisions: tuple[Decision, ...] = ()
    proposals: ProposalCounts = ProposalCounts()
    context: str = ""
    attached: tuple[Attachment, ...] = ()
    receipt: Receipt = Receipt()
    found: str = ""
    is_sure: bool = True

    @property
    def words(self) -> str:
        """The content without the ``context``, whether the message is stored or sent."""
        return self.content.removeprefix(f"{self.context}\n\n") if self.context else self.content

    @property
    def sent(self) -> "Message":
        """The message as a model gets it."""
        if not self.context or self.words != self.content:
            return self
        return self.model_copy(update={"content": f"{self.context}\n\n{self.content}"})


class CalledTool(Record):
    """A call and its result.

    ``said`` is what the model wrote before the call; ``decided`` says, a line each, which proposals
    of the call were applied and by whom; ``proposals`` counts what became of them.
    """

    call: ToolCall
    result: ToolResult
    said: str = ""
    decided: tuple[str, ...] = ()
    proposals: ProposalCounts = ProposalCounts()


class NamedPlace(Record):
    """A file that an answer names, as it writes it, with its path from the project's root.

    ``line`` is the first line that is named, 1-based; None when none is.
    """

    named: str
    path: str
    line: int | None = None


class Answer(Drawn, Record):
    """The result of a turn.

    ``text`` is the model's final text. ``ended`` says why the turn ended: "done", "stopped" by the
    user, "limit" reached, or "error" (``notice`` says which). ``duration_ms`` is the time of the
    whole turn, 0 when it was not measured. ``attached`` is what mentions in the question, such as
    ``@src/a.ts``, have attached to it, and which of them have not. ``places`` are the files and
    lines that it names and that are there, below the folder ``root``. ``receipt`` says
    what of the text's claims is not in the code. ``found`` is what the index said before a model
    was asked, as text, "" when it said nothing; ``index_answer`` is the same as a record, None
    where it was read from a recording. ``is_sure`` is False where neither the index nor the model
    could tell that the code answers the question. ``unchanged`` says that a change was asked for
    and none was proposed.
    """

    question: str
    attached: tuple[Attachment, ...] = ()
    text: str = ""
    tool_calls: tuple[CalledTool, ...] = ()
    edits: tuple[Change, ...] = ()
    usage: Usage = Field(default_factory=Usage)
    ended: Literal["done", "stopped", "limit", "error"] = "done"
    notice: str = ""
    duration_ms: int = 0
    places: tuple[NamedPlace, ...] = ()
    root: str = ""
    receipt: Receipt = Receipt()
    found: str = ""
    index_answer: IndexAnswer | None = Field(default=None, exclude=True, repr=False)
    is_sure: bool = True
    unchanged: bool = False

    @property
    def proposals(self) -> ProposalCounts:
        """What became of the proposals of all calls, whatever the text says of them."""
        return sum((called.proposals for called in self.tool_calls), ProposalCounts())

    def __str__(self) -> str:
        told = self.text or self.notice
        is_exact = self.index_answer is not None and self.index_answer.is_answer
        if is_exact and told != self.found:
            told = f"{self.found}\n\n{told}"
        return visible(told)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Drawing:
        """The drawing, with what a notebook keeps beside it; see `SavedReceipt`."""
        drawn = super()._repr_mimebundle_(include, exclude)
        if not self.receipt or isinstance(drawn, tuple):
            return drawn
        kept = SavedReceipt(answer=self.text, receipt=self.receipt)
        return drawn, {"ipuaro": kept.model_dump(mode="json", by_alias=True, exclude_defaults=True)}
