"""Changes to the project, the questions put to the user, and the decisions."""

from typing import Literal

from ipuaro_jupyter.records.check import CheckReport
from ipuaro_jupyter.records.outputs import Diff
from ipuaro_jupyter.records.record import Record


class Change(Record):
    """The whole content of one file before and after, as bytes; None for an absent file.

    ``mode`` is the file's permission bits, None for a file that did not exist. ``part`` is what is
    shown of the change in place of the whole file, such as a cell of a notebook. Where the file is
    open and was not saved, that is all of the change: the contents are the same.
    """

    path: str
    before: bytes | None
    after: bytes | None
    mode: int | None = None
    part: Diff | None = None

    @property
    def kind(self) -> Literal["create", "edit", "delete"]:
        """The effect of the change on the file."""
        if self.before is None:
            return "create"
        return "delete" if self.after is None else "edit"

    def inverse(self) -> "Change":
        """The change that restores the former state."""
        return Change(path=self.path, before=self.after, after=self.before, mode=self.mode)


def text_of(data: bytes | None) -> str | None:
    """The bytes of a file as displayable text; None where there is no file."""
    return None if data is None else data.decode(errors="replace")


class ProposedFile(Record):
    r"""A file of a change set, as the user sees it.

    ``old_text`` and ``new_text`` are as in `Proposal`. ``is_chosen`` says whether it is ticked when
    the question is shown. A set may name a file twice, in different ``group``s, with the same
    ``old_text``: a line that both replace is written as the later one has it, which includes the
    change of the other. ``group`` is the heading under which it is listed, "" for the first one;
    ``note`` is a line about it.
    """

    path: str
    kind: Literal["edit", "create", "delete"]
    old_text: str | None
    new_text: str | None
    is_chosen: bool = True
    group: str = ""
    note: str = ""


class ChosenFile(Record):
    """A file of a change set that the user has chosen.

    ``number`` is its place in `Proposal.changed`, 1-based; ``hunks`` are as in `Decision`.
    """

    number: int
    hunks: tuple[int, ...] | None = None


class Decision(Record):
    """The decision on a proposal.

    The action "check" decides nothing yet: what would be applied is checked in a copy of the
    project, and the question is asked again with the result.

    ``hunks`` are the changes of an edit to make, 1-based, as the question numbers them; None makes
    all. The lines of the others stay byte for byte as they are. ``text`` replaces the result (the
    whole file), or the commit message, when the user edited it; of a rejection it is what had been
    typed until then, and is not written. ``chosen`` are the files of a change set to change; None
    changes those that were ticked. ``remember`` applies the same pattern without a question for the
    rest of the session. ``by`` says who decided: a person, a setting, the policy (for commands that
    are denied or known to be safe), or nobody (there was nobody to ask). ``allowed_by`` is the
    command-line option with which the user could have allowed it; empty where Python or the
    settings name it. ``failed`` says why what was decided to be applied could not be written, as it
    turned out afterwards; "" where it was.
    """

    action: Literal["apply", "reject", "check"]
    reason: str = ""
    text: str | None = None
    hunks: tuple[int, ...] | None = None
    chosen: tuple[ChosenFile, ...] | None = None
    remember: bool = False
    by: Literal["user", "setting", "policy", "nobody"] = "user"
    allowed_by: str = ""
    failed: str = ""


class Proposal(Record):
    r"""A question to the user.

    ``old_text`` and ``new_text`` are the whole file before and after for edits, creates and deletes
    (None where there is no file), with line ends as ``\n``. ``editable`` says that `Decision.text`
    may replace ``new_text`` (edits and creates) or ``message`` (commits). ``pattern`` is what
    "apply and don't ask again" would remember: files, in words, or a command. ``runs`` are the
    commands that a shell would make of ``command``, where they are not obvious. ``files`` are those
    of a commit, and ``states`` says of each whether it is added, modified or deleted; proposals
    stored by older versions have none. The kind "settings" asks whether settings that came with a
    project may take effect; ``message`` holds them. The kind "mcp" is a call of an MCP server's
    tool: ``called`` is the server and the tool by their own names, ``message`` holds the arguments
    as JSON. The kind "notebook" asks whether the model may see the notebook; ``message`` says what
    first. The kind "start" asks whether a project is opened. The kind "changes" is a change set:
    several files in one decision, in ``changed``. ``problems`` are what speaks against an edit,
    such as new syntax errors, one line each: with any of them, no setting and no remembered
    permission applies it without a question. Those that another text or choice would not have are
    in ``text_problems``, too. ``doubt`` says why it is not certain what a command starts: no
    setting runs it then without a question. ``check`` are the commands that a check would run in a
    copy of the project, empty where no check is offered; ``checked`` is the result of a check, and
    ``checked_as`` the choice and text that it was of. ``rests_on`` is a hash of what a command or
    commit depends on beside its words, such as files that it would run: with another one, it is
    another question.
    """

    id: str
    kind: Literal[
        "edit",
        "create",
        "delete",
        "changes",
        "command",
        "commit",
        "settings",
        "mcp",
        "notebook",
        "start",
    ]
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
    changed: tuple[ProposedFile, ...] = ()
    problems: tuple[str, ...] = ()
    text_problems: tuple[str, ...] = ()
    check: tuple[str, ...] = ()
    checked: CheckReport | None = None
    checked_as: Decision | None = None
    reason: str = ""
    doubt: str = ""
    editable: bool = False
    pattern: str | None = None
    rests_on: str = ""
    part: str = ""
    language: str = ""

    @property
    def text_path(self) -> str:
        """A path whose extension tells the language of the texts; "" without a file."""
        return f"{self.part}.{self.language or 'txt'}" if self.part else self.path or ""


class LoggedDecision(Record):
    """A decision as a session keeps it.

    ``at`` is in seconds since the epoch. ``proposal`` is the question without the texts of the
    file; ``shown`` is how the question was shown, with the middle of long texts left out.
    """

    at: float
    proposal: Proposal
    shown: str
    decision: Decision
