"""Whether the answers of a saved notebook are still true."""

from collections.abc import Collection, Iterator
from pathlib import Path

from ipuaro_jupyter.agent.checking import Checker
from ipuaro_jupyter.agent.context.answer_mentions import answer_mentions
from ipuaro_jupyter.agent.receipts.line_digests import LineDigests
from ipuaro_jupyter.agent.receipts.receipt import receipt_of
from ipuaro_jupyter.records.checked_answers import CheckedAnswer, CheckedAnswers, Standing
from ipuaro_jupyter.records.evaluation import Finding
from ipuaro_jupyter.records.receipt import Cited, Receipt
from ipuaro_jupyter.sessions.saved_answers import SavedAnswer, saved_answers
from ipuaro_jupyter.tools.tool import Project


def check_answers(
    notebook: str | Path, project: Project, *, ignored: Collection[str] = ()
) -> CheckedAnswers:
    """The answers of a notebook compared with the code of today. Nothing is run.

    What held when an answer was given is looked up again; where that was not kept, all that the
    answer names. A claim about what the code does is not checked.

    Args:
        notebook: A saved notebook, exported or live.
        project: The project that it is about.
        ignored: Names that are not the project's, such as those of our tools.

    Raises:
        SettingsError: The file cannot be read, is not a notebook, or has been altered.
        StorageError: Redis has gone.
    """
    path = Path(notebook).expanduser()
    return CheckedAnswers(
        notebook=path.name,
        project=project.workspace.root.name,
        answers=tuple(_checked(saved, project, ignored) for saved in saved_answers(path)),
    )


def _checked(saved: SavedAnswer, project: Project, ignored: Collection[str]) -> CheckedAnswer:
    project.cancel.check()
    receipt = saved.receipt
    if not receipt:
        now = receipt_of(saved.text, project.index, project.workspace, ignored=ignored)
        checked, gone = len(now.held) + len(now.listed), list(now.listed)
    else:
        checked, gone = len(receipt.held), list(_gone(saved, project, ignored))
    standing: Standing = "holds"
    if gone:
        standing = "no longer true"
    elif receipt.marks:
        standing, gone = "never true", list(receipt.listed)
    elif not checked:
        standing = "nothing to check"
    return CheckedAnswer(
        cell=saved.cell,
        question=saved.question,
        standing=standing,
        checked=checked,
        gone=tuple(gone),
    )


def _gone(saved: SavedAnswer, project: Project, ignored: Collection[str]) -> Iterator[str]:
    """Yield what held and does not, or is no longer where it was."""
    named = answer_mentions(saved.text)
    checker = Checker(project.index, project.workspace, places=named.places, ignored=ignored)
    findings: dict[str, Finding] = {}
    for finding in checker.findings(named):
        project.cancel.check()
        findings[finding.named] = finding
    for held in saved.receipt.held:
        found = findings.get(held)
        if found is None or found.verdict != "ok":
            yield _told(held, found)
    yield from _changed(saved.receipt, project)


def _told(named: str, finding: Finding | None) -> str:
    detail = "no longer there" if finding is None else finding.detail
    near = f"; closest: {', '.join(finding.closest)}" if finding and finding.closest else ""
    return f"{named}: {detail}{near}"


def _changed(receipt: Receipt, project: Project) -> Iterator[str]:
    """Yield the named lines that are other lines today."""
    texts = project.index.texts({cited.path for cited in receipt.cited})
    digests: dict[str, LineDigests] = {}
    for cited in receipt.cited:
        project.cancel.check()
        if cited.path not in texts:
            continue  # that the file has gone is told already
        if cited.path not in digests:
            text = texts[cited.path][0].decode("utf-8", "replace")
            digests[cited.path] = LineDigests(text.splitlines())
        lines = digests[cited.path]
        if lines.of(cited.first, cited.last) == cited.digest:
            continue
        found = lines.find(cited.digest, cited.last - cited.first + 1, near=cited.first)
        where = "have changed" if found is None else f"are now at line {found}"
        yield f"{cited.path}:{_lines(cited)}: these lines {where}"


def _lines(cited: Cited) -> str:
    return str(cited.first) if cited.first == cited.last else f"{cited.first}-{cited.last}"
