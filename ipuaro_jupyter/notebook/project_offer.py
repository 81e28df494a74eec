"""The offer to open the notebook's project, where a question comes before ``%ipuaro start``."""

from contextlib import closing, suppress
from pathlib import Path
from uuid import uuid4

from ipuaro_jupyter.cancellation import CancelToken, Deadline
from ipuaro_jupyter.cell_text import word_source
from ipuaro_jupyter.errors import ProjectError, TimeUp
from ipuaro_jupyter.notebook.cell_thread import AnyCellThread
from ipuaro_jupyter.notebook.open_project import OpenProject, resumed
from ipuaro_jupyter.records.change import Proposal
from ipuaro_jupyter.records.counted import counted
from ipuaro_jupyter.records.events import Noticed, PhaseChanged

MANIFESTS = ("package.json", "pyproject.toml", "setup.py", "go.mod", "Cargo.toml", "pom.xml")
_COUNT_S = 2.0


def notebook_project(folder: Path) -> Path | None:
    """The project that a folder is in; None where none is found.

    That is the nearest folder above it, or the folder itself, with a git repository, and without
    one the nearest with a manifest such as ``package.json``. The user's home folder and those above
    it are no project, even where git tracks them.

    Args:
        folder: The notebook's.
    """
    home = Path.home().resolve()
    above = [one for one in _with_parents(folder.resolve()) if one not in _with_parents(home)]
    for one in above:
        if (one / ".git").exists():
            return one
    return next((one for one in above if any((one / name).is_file() for name in MANIFESTS)), None)


def open_offered(project: OpenProject, thread: AnyCellThread) -> None:
    """Offer to open the notebook's project, and open it if the user agrees.

    Raises:
        ProjectError: There is none, or it is not opened; the message says how to open one.
        IpuaroError: It cannot be opened.
        Cancelled: The user pressed stop.
    """
    try:
        found = notebook_project(Path.cwd())
    except OSError:  # the folder has gone
        found = None
    if found is None:
        project.check_open()
        return
    decision = thread.ask(_offer(found, thread.cancel))
    if decision.action != "apply":
        why = f" ({decision.reason})" if decision.by == "nobody" and decision.reason else ""
        raise ProjectError(
            f"No project is open in this kernel{why}. Run %ipuaro start "
            f"{word_source(str(found))} first, or another folder in its place."
        )
    thread.post(PhaseChanged(phase="opening", detail=found.name))
    project.open(
        str(found),
        model=None,
        progress=thread.post,
        cancel=thread.cancel,
        confirm=thread.ask,
    )
    _opened(project, thread)


def _offer(root: Path, cancel: CancelToken) -> Proposal:
    """The question, with what opening does."""
    from ipuaro_jupyter.llm.hosts import remote_host  # noqa: PLC0415 - loads every room
    from ipuaro_jupyter.llm.open_model import open_model  # noqa: PLC0415 - the same
    from ipuaro_jupyter.settings.settings import load_settings  # noqa: PLC0415 - the same
    from ipuaro_jupyter.status import leaving  # noqa: PLC0415 - the same

    llm = load_settings(root, {}).settings.llm
    with closing(open_model(llm.model, llm, root)) as model:
        answers = f"{model.name} answers{leaving(remote_host(model))}"
    told = [
        f"Project: {root}",
        f"Files: {_counted(root, cancel)}",
        f"Model: {answers}",
        "Your question will be answered then. Nothing in the project is changed unasked.",
    ]
    return Proposal(
        id=uuid4().hex,
        kind="start",
        tool="start",
        title=f"Open {root.name} to answer this",
        message="\n".join(told),
        reason="No project is open in this notebook. Opening reads the files and keeps an index of "
        "them in your user folder, as %ipuaro start does.",
    )


def _counted(root: Path, cancel: CancelToken) -> str:
    """How many files there are, if that is soon known."""
    from ipuaro_jupyter.workspace.files.listing import list_files  # noqa: PLC0415 - loads every room

    limit = Deadline(_COUNT_S, cancel)
    with limit.running(), suppress(TimeUp):
        return f"{len(list_files(root, cancel=limit.token).files):,}"
    return "many"


def _opened(project: OpenProject, thread: AnyCellThread) -> None:
    """Tell what has been opened, as ``%ipuaro start`` does."""
    status = project.assistant.status()
    told = f"Opened {status.root}: {counted(status.files, 'file')}."
    goes_on = [resumed(status.session)] if status.session.messages else []
    for notice in (told, *goes_on, *status.notices):
        thread.post(Noticed(text=notice))


def _with_parents(folder: Path) -> tuple[Path, ...]:
    return (folder, *folder.parents)
