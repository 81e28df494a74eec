"""Measure how complex files are."""

from typing import Annotated, ClassVar

from pydantic import Field

from ipuaro_jupyter.records.code import Metrics
from ipuaro_jupyter.records.outputs import Output, Place, Table
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.tools.tool import Project, tool

_HIGH = 70
_MEDIUM = 40
_FULL = 100


class FileComplexity(Record):
    """The metrics of a file; ``score`` is at most 100."""

    path: str
    loc: int
    nesting_depth: int
    cyclomatic_complexity: int
    score: float


def _figures(file: FileComplexity) -> str:
    return (
        f"LOC: {file.loc}, Nesting: {file.nesting_depth}, Cyclomatic: {file.cyclomatic_complexity}"
    )


class ComplexitySummary(Record):
    """Counts over all files that were asked for: high > 70, medium 40-70, low < 40."""

    total_files: int
    high_complexity: int
    medium_complexity: int
    low_complexity: int
    average_score: float


class Complexity(Output):
    """The most complex files, the highest unclamped score first."""

    rows_of: ClassVar[str] = "files"

    files: tuple[FileComplexity, ...]
    summary: ComplexitySummary

    def text(self) -> str:
        """Return a numbered list and the summary."""
        told = [f"Complexity Report (top {len(self.files)}):"]
        for number, file in enumerate(self.files, 1):
            told += [
                "",
                f"{number}. {file.path} (score: {file.score:.0f})",
                f"   {_figures(file)}",
            ]
        told += [
            "",
            "Summary:",
            f"  Total files: {self.summary.total_files}",
            f"  High complexity: {self.summary.high_complexity}",
            f"  Medium complexity: {self.summary.medium_complexity}",
            f"  Low complexity: {self.summary.low_complexity}",
            f"  Average score: {self.summary.average_score:.1f}",
        ]
        return "\n".join(told)

    def shape(self) -> Table:
        """Return a row per file."""
        return Table(
            title="Complexity",
            columns=("file", "score", "lines of code", "nesting", "cyclomatic"),
            kinds={"file": "path", "score": "bar"},
            most={"score": _FULL},
            places=tuple(Place(path=f.path) for f in self.files),
            rows=tuple(
                (f.path, round(f.score, 1), f.loc, f.nesting_depth, f.cyclomatic_complexity)
                for f in self.files
            ),
            note=f"{self.summary.total_files} files: {self.summary.high_complexity} high, "
            f"{self.summary.medium_complexity} medium, {self.summary.low_complexity} low; "
            f"average score {self.summary.average_score:.1f}",
        )


@tool(aliases=("complexity", "analyze_complexity", "get_metrics"))
def get_complexity(
    project: Project, path: str = "", limit: Annotated[int, Field(ge=1)] = 20
) -> Complexity:
    """Measure the complexity of files, the most complex first.

    Args:
        path: File or folder. Default: the whole project.
        limit: How many files to return at the most. Default: 20.
    """
    path = project.workspace.relative(path) if path else ""
    metrics = project.index.metrics(path)
    ranked = sorted(metrics.items(), key=lambda item: (-item[1].raw_score, item[0]))
    return Complexity(
        files=tuple(
            FileComplexity(
                path=name,
                loc=found.loc,
                nesting_depth=found.nesting_depth,
                cyclomatic_complexity=found.cyclomatic_complexity,
                score=round(found.score, 2),
            )
            for name, found in ranked[:limit]
        ),
        summary=_summarise(list(metrics.values())),
    )


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
