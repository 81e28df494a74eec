"""Every error the package raises on purpose.

    IpuaroError
    ├── ToolError           told to the model, which may try something else
    │   └── SeveralMeant    a path may mean several files; the message lists them
    ├── ProjectError        told to the user: the project's folder cannot be used
    ├── SettingsError       told to the user: a settings file or flag is wrong
    ├── ModelError          told to the user: the language model cannot be reached or used
    │   ├── ModelMissing    the server is there and has no such model: it can be pulled
    │   ├── UnreadableCall  the server could not read the call that the model wrote
    │   ├── ToolsRefused    the server takes no tools, which have to be described instead
    │   └── NoReplyLeft     none, a script or a recording has no reply: no use trying again
    ├── StorageError        told to the user: Redis is missing, refuses or has gone
    └── Cancelled           the user pressed stop; nobody is told, the turn ends
        └── TimeUp          a tool call has used up its time; the model is told

Everything else that is raised is a bug.
"""

from typing import Literal

ErrorType = Literal[
    "file",
    "validation",
    "parse",
    "command",
    "conflict",
    "timeout",
    "cancelled",
    "storage",
    "llm",
    "internal",
]


class IpuaroError(Exception):
    """Base of all errors that this package raises on purpose.

    Attributes:
        unwritten: The id of the proposal that was decided to be applied, and was not written for
            this error; "" for none.
    """

    unwritten = ""


class ToolError(IpuaroError):
    """A tool could not do what the model asked.

    Args:
        type_: One of the documented error types.
        message: What went wrong, with the offending value.
        suggestion: What to try next; None when there is nothing to suggest.
        recoverable: False for paths outside the project, denied commands, a lost store and internal
            errors.
        rejected: The user rejected it and so knows about it: it is not a fault.

    Attributes:
        typed: The lines as the user had edited them, which were not written; "" without any.
    """

    def __init__(
        self,
        type_: ErrorType,
        message: str,
        *,
        suggestion: str | None = None,
        recoverable: bool = True,
        rejected: bool = False,
    ) -> None:
        super().__init__(message)
        self.type: ErrorType = type_
        self.message = message
        self.suggestion = suggestion
        self.recoverable = recoverable
        self.rejected = rejected
        self.typed = ""


class SeveralMeant(ToolError):  # noqa: N818 - says what is wrong, like Cancelled
    """A path may mean several files; the message lists them."""


class ProjectError(IpuaroError):
    """The project's root is missing, is not a folder or cannot be read."""


class SettingsError(IpuaroError):
    """A settings file or flag is wrong; names the file, the key and the allowed values."""


class ModelError(IpuaroError):
    """The language model cannot be reached or used; the message holds the remedy."""


class ModelMissing(ModelError):  # noqa: N818 - says what is wrong, like Cancelled
    """The server responds but does not have the model; the message holds the command."""


class UnreadableCall(ModelError):  # noqa: N818 - the same
    """The server could not read the call that the model wrote.

    Args:
        message: The server's own words.
        raw: The call as the model wrote it; "" when the server does not say.
    """

    def __init__(self, message: str, *, raw: str = "") -> None:
        super().__init__(message)
        self.raw = raw


class ToolsRefused(ModelError):  # noqa: N818 - the same
    """The server takes no tool schemas; the model's ``native_tools`` is False from now on."""


class NoReplyLeft(ModelError):  # noqa: N818 - the same
    """No model, a scripted or a recorded one has no reply, however often it is asked."""


class StorageError(IpuaroError):
    """Redis is missing, refuses or has gone; the message names the URL and the remedy."""


class WrongKeyType(StorageError):  # noqa: N818 - says what is wrong, like Cancelled
    """A key on the server holds a value of another type than ours."""


class Cancelled(IpuaroError):  # noqa: N818 - a request, not a fault
    """The user asked to stop."""


class TimeUp(Cancelled):
    """A tool call has used up its time; a message, if any, names the work that continues."""
