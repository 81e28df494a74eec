"""``ipuaro ask``: one message to the model, answered in the terminal."""

import sys
from collections.abc import Callable
from contextlib import ExitStack, closing, redirect_stdout, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ipuaro_jupyter.cli.project_folder import mentions, project_option
from ipuaro_jupyter.cli.terminal import (
    ProgressLine,
    can_ask,
    interruptible,
    json_text,
    nobody,
    stoppable,
    tell_notices,
    told,
)
from ipuaro_jupyter.errors import Cancelled, IpuaroError, ModelError, SettingsError, StorageError
from ipuaro_jupyter.views.markup import visible

if TYPE_CHECKING:
    from ipuaro_jupyter.assistant import Assistant
    from ipuaro_jupyter.assistant.slash_commands import Typed
    from ipuaro_jupyter.cancellation import CancelToken
    from ipuaro_jupyter.records.chat import Answer

_LIMIT_STATUS = 1
_Asked = TypeVar("_Asked")
_Said = TypeVar("_Said")
_nobody = partial(nobody, edits="--approve edits", others="--approve all")


@click.command("ask", short_help="Ask the model in the terminal.")
@click.argument("message", nargs=-1, required=True, shell_complete=mentions)
@project_option
@click.option(
    "--model",
    help='The name of a model in Ollama, "openai:NAME", "gguf:PATH" or "recorded:FILE".',
)
@click.option(
    "--session",
    metavar="ID",
    help="The session to resume, by its id or a part of it; by default a new one.",
)
@click.option(
    "--approve",
    type=click.Choice(["never", "ask", "checked", "edits", "all"]),
    help="What is applied without asking; without a terminal the rest is rejected.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the whole answer as one JSON object.")
def command(  # click's
    message: tuple[str, ...],
    *,
    project: str,
    as_json: bool,
    **options: Any,
) -> None:
    """Send MESSAGE to the model and print the answer as it comes; "-" reads standard input.

    The model's text goes to standard output; tool calls, changes and questions go to standard
    error. A mention such as @src/a.ts, @src/a.ts:10-20, @Symbol or @diff attaches what it names. A
    MESSAGE such as "/undo" is a command, "/help" lists them: those about earlier messages
    or changes need --session.

    Exit status 0 when the model has answered, 1 when a limit ended the turn or a command failed, 4
    when the model cannot be used, 130 when it was stopped. A session is kept once the model has
    replied.
    """
    from ipuaro_jupyter.assistant import start  # noqa: PLC0415 - heavy, not needed for --help
    from ipuaro_jupyter.assistant.slash_commands import typed_command  # noqa: PLC0415 - the same
    from ipuaro_jupyter.terminal_turn import decision, remedy  # noqa: PLC0415 - the same

    is_asking = can_ask() and not as_json and message != ("-",)
    approve, session = options["approve"], options["session"]
    with ExitStack() as stack:
        stack.enter_context(told())
        text = _standard_input() if message == ("-",) else " ".join(message)
        if not text.strip():
            raise SettingsError("There is nothing to ask: write the message after ipuaro ask.")
        line = ProgressLine()
        stack.callback(line.end)
        cancel = stack.enter_context(stoppable())
        assistant = stack.enter_context(
            start(
                project,
                model=options["model"],
                confirm=_asking(decision, cancel) if is_asking else _nobody,
                on_error=_asking(remedy, cancel) if is_asking else None,
                settings={"approve": approve} if approve else None,
                session=session,
                new=session is None,
                progress=line.show,
                cancel=cancel,
            )
        )
        line.end()
        tell_notices(assistant)
        if session is not None:
            click.echo(visible(assistant.session.resumed()), err=True)
        if typed := typed_command(text, assistant.root):
            _run_typed(typed, assistant, cancel, is_new=session is None, as_json=as_json)
            return
        answer = _json(assistant, text, cancel) if as_json else _printed(assistant, text, cancel)
        if session is None and not _is_answered(answer):
            _drop_session(assistant)
        sys.exit(_status(answer))


def _standard_input() -> str:
    """The text on standard input.

    Raises:
        SettingsError: It is not text.
    """
    try:
        return sys.stdin.read()
    except UnicodeDecodeError as error:
        raise SettingsError(f"Standard input is no text: {error}.") from error


def _asking(ask: Callable[[_Asked], _Said], cancel: "CancelToken") -> Callable[[_Asked], _Said]:
    """Let Ctrl-C end a question, and show the question on standard error."""

    @interruptible(cancel)
    def asked(question: _Asked) -> _Said:
        with redirect_stdout(sys.stderr):
            return ask(question)

    return asked


def _run_typed(
    typed: "Typed", assistant: "Assistant", cancel: "CancelToken", *, is_new: bool, as_json: bool
) -> None:
    """Run a command such as "/undo" in place of a turn, and print its text."""
    from ipuaro_jupyter.cli.typed import output_of  # noqa: PLC0415 - rare
    from ipuaro_jupyter.records.chat import Answer  # noqa: PLC0415 - heavy

    session = None if is_new else assistant.session.id
    try:
        said = output_of(typed, assistant, cancel, is_new=is_new)
    except IpuaroError as error:
        if as_json:
            ended = "stopped" if isinstance(error, Cancelled) else "error"
            answer = Answer(question=typed.message, ended=ended, notice=str(error))
            click.echo(_as_json(answer, session))
        raise
    if as_json:
        click.echo(_as_json(Answer(question=typed.message, text=said), session))
    else:
        click.echo(visible(said))


def _printed(assistant: "Assistant", message: str, cancel: "CancelToken") -> "Answer":
    """Print the turn as it comes; return its answer."""
    from ipuaro_jupyter.records.events import (  # noqa: PLC0415 - heavy
        Noticed,
        TextAdded,
        TurnFinished,
    )
    from ipuaro_jupyter.terminal_turn import TerminalView  # noqa: PLC0415 - the same
    from ipuaro_jupyter.views.answer import changes_text, ending  # noqa: PLC0415 - the same

    view = TerminalView(notes=sys.stderr)
    is_held = False  # text may still turn out to be thinking, and a file takes nothing back
    for event in assistant.stream(message, cancel):
        if isinstance(event, TextAdded) and not sys.stdout.isatty():
            is_held = True
            continue
        if isinstance(event, TurnFinished):
            answer = event.answer
            if is_held:
                view.show(TextAdded(text=answer.text))
            view.show(event)
            is_unasked = assistant.approve not in ("ask", "never")  # else questions showed them
            changed = changes_text(answer) if is_unasked else []
            told = [] if answer.ended == "error" else [ending(answer)]  # the error comes last
            view.finish(silent=False, ending="\n\n".join([*changed, *told]))
            if _is_answered(answer):
                _tell_session(assistant)
            return answer
        if not (isinstance(event, Noticed) and event.level == "error"):
            view.show(event)
    raise AssertionError  # every turn ends with TurnFinished


def _tell_session(assistant: "Assistant") -> None:
    """Print on standard error how to continue the conversation, if that is possible."""
    session = assistant.session.id
    if any(listed.id == session for listed in assistant.sessions()):
        click.echo(f"session {session}: go on with --session {session}", err=True)


def _is_answered(answer: "Answer") -> bool:
    """Whether the model has replied; otherwise a new session is not kept."""
    return bool(answer.text or answer.tool_calls or answer.usage.completion_tokens)


def _drop_session(assistant: "Assistant") -> None:
    """Close the assistant and delete its session, which has nothing to continue from."""
    from ipuaro_jupyter.sessions.session import Sessions  # noqa: PLC0415 - rare
    from ipuaro_jupyter.store.connection import connect  # noqa: PLC0415 - the same
    from ipuaro_jupyter.store.keys import Keys, project_id  # noqa: PLC0415 - the same

    with suppress(StorageError, SettingsError):  # the ending of the turn matters more
        session = assistant.session.id
        assistant.close()
        with closing(connect(assistant.settings.redis)) as store:
            Sessions(store, Keys(project_id(assistant.root))).delete(session)


def _json(assistant: "Assistant", message: str, cancel: "CancelToken") -> "Answer":
    """Print the answer as JSON when the turn has ended, in any way."""
    from ipuaro_jupyter.records.events import Noticed, TurnFinished  # noqa: PLC0415 - heavy

    for last in assistant.stream(message, cancel):
        if isinstance(last, Noticed) and last.level == "info":  # others are in the answer
            click.echo(visible(last.text), err=True)
    assert isinstance(last, TurnFinished)  # noqa: S101 - every turn ends with it
    session = assistant.session.id if _is_answered(last.answer) else None
    click.echo(_as_json(last.answer, session))
    return last.answer


def _as_json(answer: "Answer", session: str | None) -> str:
    """The answer as JSON, the results of its calls in their documented form."""
    calls = [
        {
            "tool": called.call.name,
            "arguments": called.call.arguments,
            "result": called.result.to_dict(),
        }
        for called in answer.tool_calls
    ]
    plain = {
        "session": session,
        "question": answer.question,
        "attached": [one.to_dict() for one in answer.attached],
        "found": answer.found,
        "text": answer.text,
        "isSure": answer.is_sure,
        "unchanged": answer.unchanged,
        "toolCalls": calls,
        "proposals": answer.proposals.to_dict(),
        "edits": [change.path for change in answer.edits],
        "usage": answer.usage.to_dict(),
        "ended": answer.ended,
        "notice": answer.notice,
        "receipt": answer.receipt.to_dict(),
        "durationMs": answer.duration_ms,
    }
    return json_text(plain)


def _status(answer: "Answer") -> int:
    """The exit status of a turn; errors are those of the other commands.

    Raises:
        ModelError: The turn ended with an error, which is printed as the last line.
        Cancelled: It was stopped.
    """
    if answer.ended == "error":
        raise ModelError(answer.notice)
    if answer.ended == "stopped":
        raise Cancelled
    return _LIMIT_STATUS if answer.ended == "limit" else 0
