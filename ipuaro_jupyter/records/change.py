"""What may happen to the project: a change, the question to the user, and the answer."""

from typing import Literal

from ipuaro_jupyter.records.record import Record


class Change(Record):
    """The whole content of one file before and after, as bytes; None is an absent file.

    ``mode`` is the file's permission bits, None for a file that did not exist.
    """

    path: str
    before: bytes | None
    after: bytes | None
    mode: int | None = None

    @property
    def kind(self) -> Literal["create", "edit", "delete"]:
        """What the change does to the file."""
        if self.before is None:
            return "create"
        return "delete" if self.after is None else "edit"

    def inverse(self) -> "Change":
        """Return the change that puts everything back."""
        return Change(path=self.path, before=self.after, after=self.before, mode=self.mode)


def text_of(data: bytes | None) -> str | None:
    """Return the bytes of a file as text to be shown; None where there is no file."""
    return None if data is None else data.decode(errors="replace")


class Proposal(Record):
    r"""What the user is asked.

    ``old_text`` and ``new_text`` are the whole file before and after for edits, creates and
    deletes (None where there is no file), with line ends as ``\n``. ``editable`` says that
    `Decision.text` may replace ``new_text`` (edits and creates) or ``message`` (commits).
    ``pattern`` is what "apply and don't ask again" would remember: a path glob or command prefix.
    ``runs`` are the commands that a shell would make of ``command``, where they are not plain to
    see. ``files`` are those of a commit, and ``states`` says of each whether it is added, modified
    or deleted; proposals that were kept by older versions have none.
    Of the kind "settings" is the question whether settings that came with a project may count;
    ``message`` holds them. Of the kind "mcp" is a call of an MCP server's tool: ``called`` is the
    server and the tool by their own names, ``message`` holds the arguments as JSON.
    """

    id: str
    kind: Literal["edit", "create", "delete", "command", "commit", "settings", "mcp"]
    tool: str
    title: str
    path: str | None = None
    old_text: str | None = None
    new_text: str | None = None
    command: str | None = None
    runs: tuple[str, ...] = ()
    message: str | None = None
    called: tuple[str, str] | None = None
    files: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    reason: str = ""
    editable: bool = False
    pattern: str | None = None


class Decision(Record):
    """The user's answer.

    ``hunks`` are the changes of an edit that are to be made, 1-based, as the question numbers
    them; None makes all. The lines of the others stay byte for byte as they are. ``text`` replaces
    what that gives (the whole file), or the commit message, when the user edited it.
    ``remember`` asks to apply the same pattern without a question for the rest of the session.
    ``by`` says who decided: a person, a setting, the policy (for commands that are denied or known
    to be safe), or nobody (there was nobody to ask). ``allowed_by`` is the option with which the
    user would have allowed it then; empty where Python or the settings say it.
    """

    action: Literal["apply", "reject"]
    reason: str = ""
    text: str | None = None
    hunks: tuple[int, ...] | None = None
    remember: bool = False
    by: Literal["user", "setting", "policy", "nobody"] = "user"
    allowed_by: str = ""


class LoggedDecision(Record):
    """A decision as a session keeps it.

    ``at`` is in seconds since the epoch. ``proposal`` is what was asked, without the texts of the
    file; ``shown`` is how they and all else were shown, long ones without their middle.
    """

    at: float
    proposal: Proposal
    shown: str
    decision: Decision
