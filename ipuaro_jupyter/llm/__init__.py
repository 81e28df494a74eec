"""Language models: the protocol that the agent uses, and its settings."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, Protocol

from pydantic import Field, field_validator

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.records.chat import Message, ToolCall, ToolSchema, Usage
from ipuaro_jupyter.records.events import PullProgress
from ipuaro_jupyter.records.record import Record

_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,63}|[a-z_][a-z0-9_]{0,63}")
"""Names as they are usual; keys mix upper and lower case, or have other marks."""


class LlmSettings(Record):
    """The model, and how it is asked. Times are in milliseconds."""

    model: str = Field(
        "qwen2.5-coder:7b-instruct",
        min_length=1,
        description='The name of a model in Ollama, "openai:NAME" for one behind an '
        'OpenAI-compatible API, "gguf:PATH" or "gguf:OWNER/REPO/FILE" for a file of weights that '
        'runs here, "recorded:FILE" for recorded replies, or "none": the index answers alone.',
    )
    host: str | None = Field(
        None,
        description="The address of the server; null is, for Ollama, OLLAMA_HOST or else this "
        "machine.",
    )
    api_key_env: str | None = Field(
        None,
        description="The environment variable that holds the key for an `openai:` server. Never "
        "from a project's file, and no command gets it.",
    )
    api_key_host: str | None = Field(
        None,
        description="The server that gets the key; null is `llm.host`, unless a project's file "
        "names that. Never from a project's file.",
    )
    models_folder: str | None = Field(
        None,
        description="A folder with files of weights for all users of this machine, in OWNER/REPO "
        "like their names; it is never written to. Never from a project's file.",
    )
    max_tokens_per_day: int | None = Field(
        None,
        ge=1,
        description="The most tokens, read and written, that your questions may take a day, over "
        "all projects on the server; null is no limit. Never from a project's file.",
    )
    context_window: int = Field(
        32_768,
        ge=1024,
        le=10_000_000,
        description="Size of the window in tokens; Ollama's own default is a few thousand.",
    )
    temperature: float | None = Field(
        None,
        ge=0,
        le=2,
        description="Sampling temperature; higher is more varied; null is the model's own.",
    )
    connect_timeout: int = Field(5_000, ge=1, description="Limit for reaching the server.")
    load_timeout: int = Field(
        900_000,
        ge=1,
        description="Limit for silence before the first word, while the model is loaded or reads "
        "the prompt, and during a download.",
    )
    timeout: int = Field(300_000, ge=1, description="Limit for silence between words.")
    use_native_tools: bool | None = Field(
        None, description="Whether tools are called by schema or as text; null: schema, if it can."
    )
    constrain_calls: Literal["repair", "always", "never"] = Field(
        "repair",
        description="When the server holds the model to calls that can be made: from the second "
        "unusable reply on, always, or never.",
    )
    think: bool | Literal["low", "medium", "high"] | None = Field(
        None, description="Whether, or how hard, it thinks first; null leaves it to the server."
    )
    way: Literal["auto", "evidence", "loop"] = Field(
        "auto",
        description="How a question is answered: by one request with what the index has found, or "
        "by a loop in which the model calls tools. auto is evidence for models on this machine "
        "with at most 9 billion parameters, or an unknown number.",
    )
    first_word_s: float = Field(
        20.0,
        gt=0,
        le=600,
        description="Seconds until the first word of an answer, at most: on a slow machine the "
        "model is given less to read.",
    )
    samples: int = Field(
        3,
        ge=0,
        le=10,
        description="How many further texts of a function a model writes, at most, where examples "
        "in its documentation tell that the first two are wrong.",
    )
    warm: bool = Field(
        default=True,
        description="Whether %ipuaro start has a model on this machine read the start of the "
        "prompt in the background, so that the first question waits as briefly as the second.",
    )
    keep_alive: str | None = Field(
        "30m",
        description='How long the server keeps it loaded, such as "10m"; null leaves it to '
        "the server.",
    )

    @field_validator("api_key_env")
    @classmethod
    def _is_name(cls, name: str | None) -> str | None:
        if name is not None and not _VARIABLE.fullmatch(name):
            told = "it is the name of an environment variable, such as MY_API_KEY, not the key"
            raise ValueError(told)
        return name


class PromptRead(Record):
    """How far the server has read the new tokens of a prompt: so many of how many, in which time.

    Those that it has kept from an earlier request are not counted.
    """

    tokens: int
    of: int
    seconds: float


class Chunk(Record):
    """A piece of a model's reply as it arrives. Usage comes with the last one.

    ``phase`` is the model's activity from here on: "loading" until it is in memory, then
    "generating", even while it still reads the prompt; "waiting" while another model computes.
    ``cut_off``: the reply ends here for lack of room, not because the model was done.
    """

    text: str = ""
    thinking: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    phase: Literal["waiting", "loading", "generating"] | None = None
    cut_off: bool = False
    read: PromptRead | None = None


class Model(Protocol):
    """A language model that can be asked."""

    @property
    def name(self) -> str:
        """The model's name as the user knows it."""
        ...

    @property
    def context_tokens(self) -> int:
        """The tokens that prompt and reply may take together."""
        ...

    @property
    def native_tools(self) -> bool:
        """Whether the model takes tool schemas; if not, the prompt has to describe the tools."""
        ...

    def check(self) -> None:
        """Raise ModelError unless the model can be asked.

        Raises:
            ModelMissing: The server has no such model; `pull` fetches it.
            ModelError: It cannot be asked; the message holds the commands that fix it.
        """
        ...

    def models(self, *, within_s: float = 10.0) -> tuple[str, ...]:
        """The names of the models at the same place, sorted.

        Raises:
            ModelError: The server cannot be reached, or does not respond within ``within_s``
                seconds.
        """
        ...

    def pull(self, cancel: CancelToken) -> Iterator[PullProgress]:
        """Download the model, yielding the progress.

        Raises:
            Cancelled: The token was set, at once; the downloaded part is kept for the next time.
            ModelError: There is no such model, or the server cannot be reached.
        """
        ...

    def prepare(self, cancel: CancelToken) -> None:
        """Find out the model's abilities, before a turn.

        Afterwards ``context_tokens`` and ``native_tools`` return at once.

        Raises:
            Cancelled: The token was set; at once, even while the model is silent.
            ModelError: The model cannot be reached.
        """
        ...

    def chat(
        self, messages: Sequence[Message], *, tools: Sequence[ToolSchema], cancel: CancelToken
    ) -> Iterator[Chunk]:
        """Yield the reply to the conversation, piece by piece.

        Raises:
            Cancelled: The token was set; at once, even while the model is silent.
            ModelMissing: The server has no such model; `pull` fetches it.
            ModelError: The model cannot be reached or stopped in the middle. There are no retries
                here.
        """
        ...

    def close(self) -> None:
        """Release the model's resources; it may still be asked again."""
        ...
