"""Measure how complex files are."""

from codecs import BOM_UTF8
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import Field

from ipuaro_jupyter.index.complex_functions import complex_functions
from ipuaro_jupyter.records.code import Metrics
from ipuaro_jupyter.records.data_frames import frame
from ipuaro_jupyter.records.outputs import Code, Place, Table
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.records.result_room import Parts
from ipuaro_jupyter.records.unread import IncompleteOutput
from ipuaro_jupyter.tools.source_lines import is_notebook
from ipuaro_jupyter.tools.tool import Project, tool

if TYPE_CHECKING:
    import pandas as pd

_HIGH = 70
_MEDIUM = 40
_FULL = 100
_MOST_FILES = 100  # whose functions are listed
_SHOWN_FILES = 20
_SHOWN_FUNCTIONS = 3
_SHOWN_LINES = 24


class FileComplexity(Record):
    """The metrics of a file; ``score`` is at most 100."""

    path: str
    loc: int
    nesting_depth: int
    cyclomatic_complexity: int
    score: float


class FunctionComplexity(Record):
    """The metrics of a function or method; ``source`` holds its first lines, or is None."""

    path: str
    name: str
    line_start: int
    line_end: int
    nesting_depth: int
    cyclomatic_complexity: int
    source: tuple[str, ...] = ()

    def code(self) -> Code:
        """The source with the figures as its title."""
        return Code(
            title=f"{self.name}: nesting {self.nesting_depth}, "
            f"cyclomatic {self.cyclomatic_complexity}, to line {self.line_end}",
            lines=self.source,
            start=self.line_start,
            language=self.path.rpartition(".")[2],
        )


def _figures(file: FileComplexity) -> str:
    return (
        f"LOC: {file.loc}, Nesting: {file.nesting_depth}, Cyclomatic: {file.cyclomatic_complexity}"
    )


def _row(file: FileComplexity) -> tuple[str, float, int, int, int]:
    figures = (file.loc, file.nesting_depth, file.cyclomatic_complexity)
    return file.path, round(file.score, 1), *figures


class ComplexitySummary(Record):
    """Counts over all files in question: high > 70, medium 40-70, low < 40."""

    total_files: int
    high_complexity: int
    medium_complexity: int
    low_complexity: int
    average_score: float


class Complexity(IncompleteOutput):
    """The most complex files, the highest unclamped score first.

    ``functions`` are those of the first 100 files, of each the most complex first; ``others`` are
    the files beyond the limit. Both are for Python and for the table, not sent to the model.
    """

    rows_of: ClassVar[str] = "files"

    files: tuple[FileComplexity, ...]
    summary: ComplexitySummary
    functions: tuple[FunctionComplexity, ...] = Field(default=(), exclude=True, repr=False)
    others: tuple[FileComplexity, ...] = Field(default=(), exclude=True, repr=False)

    def functions_to_pandas(self) -> "pd.DataFrame":
        """A row per function as a DataFrame.

        Raises:
            ProjectError: pandas is not installed.
        """
        columns = [name for name in FunctionComplexity.model_fields if name != "source"]
        return frame([found.model_dump(exclude={"source"}) for found in self.functions], columns)

    def text(self) -> str:
        """A numbered list and the summary."""
        return self.parts().text()

    def parts(self) -> Parts:
        """The files one by one."""
        summary = self.summary
        return Parts(
            head=f"Complexity Report (top {len(self.files)}):",
            entries=tuple(
                f"\n{number}. {file.path} (score: {file.score:.0f})\n   {_figures(file)}"
                for number, file in enumerate(self.files, 1)
            ),
            brief=tuple(
                f"{number}. {file.path} (score: {file.score:.0f})"
                for number, file in enumerate(self.files, 1)
            ),
            without="figures are left out: narrow with path",
            tail=f"\nSummary:\n  Total files: {summary.total_files}\n"
            f"  High complexity: {summary.high_complexity}\n"
            f"  Medium complexity: {summary.medium_complexity}\n"
            f"  Low complexity: {summary.low_complexity}\n"
            f"  Average score: {summary.average_score:.1f}{self.unread_line}",
            note="{left} more, less complex: narrow with path",
        )

    def _left_out(self) -> str:
        shown = len(self.files)
        more = shown < self.summary.total_files
        return f"The {shown:,} most complex files (limit). Of all " if more else ""

    def shape(self) -> Table:
        """A row per file, with the source of its most complex functions."""
        code: defaultdict[str, list[Code]] = defaultdict(list)
        for found in self.functions:
            if found.source:
                code[found.path].append(found.code())
        return Table(
            title="Complexity",
            columns=("file", "score", "lines of code", "nesting", "cyclomatic"),
            kinds={"file": "path", "score": "bar"},
            most={"score": _FULL},
            places=tuple(Place(path=f.path) for f in self.files),
            code=tuple(tuple(code[f.path]) for f in self.files),
            rows=tuple(map(_row, self.files)),
            more=tuple(map(_row, self.others)),
            note=f"{self._left_out()}{self.summary.total_files:,} files: "
            f"{self.summary.high_complexity:,} high, {self.summary.medium_complexity:,} medium, "
            f"{self.summary.low_complexity:,} low; "
            f"average score {self.summary.average_score:.1f}"
            + f"; {self.unread_remark}"
            * bool(self.not_looked_at),
        )


@tool(aliases=("complexity", "analyze_complexity", "get_metrics"), names={"path": "place"})
def get_complexity(
    project: Project, path: str = "", limit: Annotated[int, Field(ge=1)] = 20
) -> Complexity:
    """Measure the complexity of files, the most complex first.

    Args:
        path: File or folder. Default: the whole project.
        limit: How many files to return at most. Default: 20.
    """
    path = project.workspace.relative(path) if path else ""
    metrics = project.index.metrics(path)
    ranked = sorted(metrics.items(), key=lambda item: (-item[1].raw_score, item[0]))
    files = tuple(
        FileComplexity(
            path=name,
            loc=found.loc,
            nesting_depth=found.nesting_depth,
            cyclomatic_complexity=found.cyclomatic_complexity,
            score=round(found.score, 2),
        )
        for name, found in ranked
    )
    return Complexity(
        files=files[:limit],
        others=files[limit:],
        summary=_summarise(list(metrics.values())),
        not_looked_at=project.index.unread.of(within=path).whole,
        functions=tuple(_functions(project, [name for name, _ in ranked[:limit][:_MOST_FILES]])),
    )


def _functions(project: Project, paths: Sequence[str]) -> list[FunctionComplexity]:
    """The functions of files; those that are shown have their source."""
    blobs = project.index.blobs(paths)
    texts = project.index.texts(path for path in paths[:_SHOWN_FILES] if not is_notebook(path))
    told = []
    for path in paths:
        lines = texts[path][0].removeprefix(BOM_UTF8).split(b"\n") if path in texts else []
        for number, found in enumerate(complex_functions(blobs[path]) if path in blobs else ()):
            start, end = found["line_start"], found["line_end"]
            shown = lines[start - 1 : min(end, start - 1 + _SHOWN_LINES)]
            told.append(
                FunctionComplexity(
                    path=path,
                    name=found["qualified"],
                    line_start=start,
                    line_end=end,
                    nesting_depth=found["nesting"],
                    cyclomatic_complexity=found["cyclomatic"],
                    source=_decoded(shown) if number < _SHOWN_FUNCTIONS else (),
                )
            )
    return told


def _decoded(lines: Sequence[bytes]) -> tuple[str, ...]:
    return tuple(line.removesuffix(b"\r").decode(errors="replace") for line in lines)


def _summarise(metrics: list[Metrics]) -> ComplexitySummary:
    scores = [found.score for found in metrics]
    high = sum(score > _HIGH for score in scores)
    low = sum(score < _MEDIUM for score in scores)
    return ComplexitySummary(
        total_files=len(scores),
        high_complexity=high,
        medium_complexity=len(scores) - high - low,
        low_complexity=low,
        average_score=round(sum(scores) / len(scores), 2) if scores else 0.0,
    )
