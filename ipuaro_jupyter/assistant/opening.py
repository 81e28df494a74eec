"""Opening an assistant: settings, store, and then the project."""

from collections.abc import Mapping
from typing import Any

from ipuaro_jupyter import address_space
from ipuaro_jupyter.assistant.assistant import Assistant
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ProjectError
from ipuaro_jupyter.index.engines.engines import told_sending
from ipuaro_jupyter.index.storage.indexing_progress import OnProgress
from ipuaro_jupyter.llm import Model
from ipuaro_jupyter.records.chat import ParsedReply
from ipuaro_jupyter.records.trouble import OnError
from ipuaro_jupyter.settings.opened_folder import Folder, opened_folder
from ipuaro_jupyter.settings.own_settings import agrees_to_checks
from ipuaro_jupyter.settings.settings import system_settings
from ipuaro_jupyter.settings.system_settings import check_model
from ipuaro_jupyter.store.connection import connect
from ipuaro_jupyter.store.topology import told_evictions
from ipuaro_jupyter.tools import load_tools
from ipuaro_jupyter.workspace.approval import Confirm, RecordedConfirm


def start(
    root: Folder = ".",
    *,
    model: str | Model | None = None,
    confirm: Confirm | None = None,
    on_error: OnError | None = None,
    auto_apply: bool = False,
    settings: Mapping[str, Any] | None = None,
    session: str | None = None,
    new: bool = False,
    notebook: str = "",
    progress: OnProgress | None = None,
    cancel: CancelToken | None = None,
) -> Assistant:
    """Open an assistant for the project at ``root``, with its index up to date.

    Args:
        root: The project's folder.
        model: A model's name as in the settings, or a model; None takes the settings' model.
        confirm: Called with each `Proposal`, in the thread that runs the tool; returns a `Decision`
            or a bool. None rejects proposals that need a decision.
        on_error: Called with each `Trouble` of a turn, in the thread that runs it; returns "retry",
            "skip", "abort" or a `Remedy`. None aborts.
        auto_apply: Apply edits, creates and deletes without a question.
        settings: Settings that override those of the files, with the keys of ``.ipuaro.json``.
        session: Prefix of the id of the session to resume; None resumes the latest.
        new: Begin a new session instead.
        notebook: The notebook whose session is resumed instead of the latest one of all; a notebook
            without a session begins one.
        progress: Receives the progress of indexing now and then.
        cancel: Cancels the indexing.

    Raises:
        ProjectError: ``root`` is not a folder, or cannot be read; or there is too little memory.
        SettingsError: A settings file or key is wrong, or there is no such session.
        StorageError: Redis cannot be reached.
    """
    if refused := address_space.refusal():
        raise ProjectError(refused)
    told = RecordedConfirm(confirm)
    folder, loaded = opened_folder(root, settings or {}, auto_apply=auto_apply, confirm=told)
    if isinstance(model, str):
        check_model(model, system_settings())
    store = connect(loaded.settings.redis)
    try:
        return Assistant(
            folder,
            store=store,
            settings=loaded.settings,
            model=model,
            confirm=confirm,
            on_error=on_error,
            session=session,
            new=new,
            notebook=notebook,
            decided=told.answers,
            notices=(
                *loaded.notices,
                *filter(None, (told_sending(loaded.settings.project),)),
                *store.take_losses(),
                *filter(None, (told_evictions(store), address_space.scarcity())),
            ),
            sources=loaded.sources,
            checks_agreed=agrees_to_checks(settings or {}),
            progress=progress,
            cancel=cancel,
        )
    except BaseException as error:
        store.close()
        if address_space.is_shortage(error):
            raise ProjectError(address_space.shortage()) from error
        raise


def parse_reply(text: str) -> ParsedReply:
    """Split a reply of a model into text, tool calls and errors."""
    from ipuaro_jupyter.llm.text_calls import reply_parser  # noqa: PLC0415 - not needed to open a project

    tools = load_tools()
    return reply_parser.parse_reply(text, tuple(t.schema for t in tools), aliases=tools.aliases)
