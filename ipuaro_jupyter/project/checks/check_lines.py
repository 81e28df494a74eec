"""The report of a check: its verdict, and the lines that say what was found."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ipuaro_jupyter.project.checks.check_plan import CheckPlan, PlannedTests
from ipuaro_jupyter.project.checks.checker_output import CheckerOutput, TypeProblem, new_problems
from ipuaro_jupyter.project.checks.checkers import TypeChecker
from ipuaro_jupyter.project.checks.reach import is_test
from ipuaro_jupyter.project.checks.tests_output import RanTests, RunOutcome
from ipuaro_jupyter.records.change import Change
from ipuaro_jupyter.records.check import CheckReport
from ipuaro_jupyter.records.outputs import FailedTest

_MOST_DETAILS = 10  # of each kind
_DECLARATIONS = re.compile(r".+\.d(?:\.[^./]+)?\.[cm]?ts")  # skipLibCheck leaves them out
_UNTYPED = (".js", ".jsx", ".mjs", ".cjs")
_OFF = re.compile(
    rb"@ts-nocheck|^\s*#\s*(?:mypy:\s*(?:ignore[-_]errors|disable)|type:\s*ignore\b"
    rb"|pyright:\s*(?:basic|standard|[^\n]*=\s*(?:false|none|warning|information)\b))",
    re.MULTILINE,
)
_ON = re.compile(rb"\s*//+\s*@ts-check\b")
_TYPED_VUE = re.compile(rb"<script\b[^>]*\blang=[\"']tsx?[\"']")
_TEST_FOLDERS = frozenset(
    {"test", "tests", "spec", "specs", "e2e", "__tests__", "__mocks__", "__snapshots__"}
)
_RULES = re.compile(
    r"""
    conftest\.py | sitecustomize\.py | usercustomize\.py | .+\.snap
    | package\.json | \.npmrc | [jt]sconfig\b.*\.json
    | (?:vitest|vite|jest|babel)\.\w+\.(?:[cm]?[jt]s|json) | (?:vitest|jest)-?[Ss]etup\b.*
    | setupTests\..+ | \.mocharc\b.* | \.babelrc\b.* | \.swcrc
    | pyproject\.toml | setup\.(?:cfg|py) | tox\.ini | \.?pytest\.(?:ini|toml)
    | \.?mypy\.ini | pyrightconfig\.json
    """,
    re.VERBOSE,
)


@dataclass(frozen=True)
class TypesFound:
    """What a checker found with the changes; ``before`` is that without, if it was needed.

    ``problem`` says why something of it is not known, "" when everything is.
    """

    checker: TypeChecker
    after: CheckerOutput | None
    problem: str = ""
    before: CheckerOutput | None = None

    @property
    def new(self) -> tuple[TypeProblem, ...]:
        """The errors that the changes add."""
        if self.after is None or self.problem:
            return ()
        return new_problems(self.after.errors, () if self.before is None else self.before.errors)

    def sees(self, change: Change) -> bool:
        """Whether the checker has looked for errors in a changed file.

        A file that goes is missed where it is imported, if the checker has seen it before.
        """
        if self.after is None or self.problem or not self.after.is_complete:
            return False
        if change.after is None:
            listed = None if self.before is None else self.before.seen
        else:
            listed = self.after.seen if self.checker.sees is None else self.checker.sees
        text = change.before if change.after is None else change.after
        if change.path in self.checker.silenced:
            return False
        return change.path in (listed or ()) and is_type_checked(change.path, text)

    def line(self, name: str) -> str:
        """The result in a few words."""
        if self.after is None or self.problem:
            return f"{name}: {self.problem}"
        count, before = len(self.after.errors), self.before
        if self.new:
            return f"{name}: {_counted(len(self.new), 'new error')}"
        if before is None or not before.errors:
            return f"{name}: no errors{self._silenced}"
        fewer = len(before.errors) - count
        beside = f", {fewer:,} fewer than before" if fewer else " as before"
        return f"{name}: {_counted(count, 'error')}{beside}{self._silenced}"

    @property
    def _silenced(self) -> str:
        """Where errors are hidden, if they are."""
        first, *others = sorted(self.checker.silenced) or [""]
        more = f" and {_counted(len(others), 'more file')}" if others else ""
        return f" ({self.checker.silenced_by} hides those of {first}{more})" if first else ""


@dataclass(frozen=True)
class TestsFound:
    """What tests found with the changes; the rest is as in `TypesFound`.

    ``loaded`` are those changed files that they have loaded; None when that is not known.
    """

    planned: PlannedTests
    after: RunOutcome | None
    problem: str = ""
    before: RunOutcome | None = None
    loaded: frozenset[str] | None = None

    @classmethod
    def of(cls, planned: PlannedTests, ran: RanTests) -> "TestsFound":
        """What one run with the changes found."""
        return cls(planned, ran.outcome, ran.problem, loaded=ran.loaded)

    @property
    def broken(self) -> tuple[FailedTest, ...]:
        """The tests that the changes break."""
        if self.after is None or self.before is None:
            return ()
        return () if self.problem else self.after.broken(self.before)

    @property
    def fewer(self) -> int:
        """How many tests less have run than without the changes."""
        ends = [None if one is None else one.counts for one in (self.before, self.after)]
        before, after = (0 if one is None else one.passed + one.failed for one in ends)
        return max(before - after, 0)

    @property
    def has_run(self) -> bool:
        """Whether at least one test has run, and it is known what that means."""
        counts = None if self.after is None else self.after.counts
        return not self.problem and counts is not None and counts.passed + counts.failed > 0


def report_of(
    plan: CheckPlan,
    changes: Sequence[Change],
    types: Sequence[TypesFound],
    tests: Sequence[TestsFound],
    *,
    uncovered: Sequence[str],
    seconds: float,
) -> CheckReport:
    """The report of a check that has run to its end."""
    unseen = _unseen(plan, changes, types, tests)
    rules = [path for path in plan.changed if sets_the_rules(path)]
    problems = [*(one.problem for one in types), *(one.problem for one in tests)]
    is_known = not unseen and not rules and not any(problems)
    is_known = is_known and all(found.has_run and not found.fewer for found in tests)
    has_failed = any(one.new for one in types) or any(one.broken for one in tests)
    verdict = "failed" if has_failed else "passed" if is_known else "unknown"
    summary = [*_types_lines(types), *_tests_lines(tests)]
    if plan.lost:
        summary.append(f"{_counted(len(plan.lost), 'test file')} deleted")
    if uncovered:
        summary.append(f"{_counted(len(uncovered), 'caller')} not covered")
    return CheckReport(
        verdict=verdict,
        lines=("; ".join(summary), *_details(types, tests, uncovered, unseen), *_rules(rules)),
        seconds=round(seconds, 1),
    )


def _types_lines(types: Sequence[TypesFound]) -> Iterator[str]:
    if not types:
        yield "types: no type checker is configured for this"
    names = [found.checker.name for found in types]
    for found in types:
        name = "types"
        if len(names) > 1:
            where = f" in {found.checker.folder}" if names.count(found.checker.name) > 1 else ""
            name += f" ({found.checker.name}{where if found.checker.folder else ''})"
        yield found.line(name)


def _tests_lines(tests: Sequence[TestsFound]) -> Iterator[str]:
    if not tests:
        yield "no test reaches it"
    ran = [found for found in tests if found.has_run]
    counts = [found.after.counts for found in ran if found.after and found.after.counts]
    if counts:
        passed = sum(count.passed for count in counts)
        failed = sum(count.failed for count in counts)
        word = "test" if passed + failed == 1 else "tests"
        line = f"{passed:,} of {passed + failed:,} {word} that reach{'es' * (word == 'test')} it"
        line += " passes" if passed + failed == passed == 1 else " pass"
        if failed and not any(found.broken for found in ran):
            line += ", the others fail as before"
        if fewer := sum(found.fewer for found in ran):
            line += f", but {_counted(fewer, 'test')} fewer than before ran"
        yield line
    for found in tests:
        if not found.has_run:
            yield f"tests: {_no_tests(found)}"


def _no_tests(found: TestsFound) -> str:
    if found.problem or found.after is None:
        return found.problem
    if found.after.is_passed:
        return f"{found.planned.found.runner} ran none of those that reach it"
    if found.broken:
        return "they cannot run with the change"
    return "they cannot run, with the change and without"


def _details(
    types: Iterable[TypesFound],
    tests: Iterable[TestsFound],
    uncovered: Sequence[str],
    unseen: Sequence[str],
) -> Iterator[str]:
    yield from _first([str(problem) for found in types for problem in found.new])
    yield from _first([_failure(test) for found in tests for test in found.broken])
    yield from (f"neither a type checker nor a test sees {path}" for path in _first(unseen))
    yield from (f"not covered: {place}" for place in _first(uncovered))


def _rules(paths: Sequence[str]) -> Iterator[str]:
    yield from (f"{path} has a say in what a check finds: look at it" for path in _first(paths))


def _failure(test: FailedTest) -> str:
    return f"failed: {test.name}" + (f": {test.message}" if test.message else "")


def _first(lines: Sequence[str]) -> Iterator[str]:
    yield from lines[:_MOST_DETAILS]
    if len(lines) > _MOST_DETAILS:
        yield f"{len(lines) - _MOST_DETAILS:,} more"


def _unseen(
    plan: CheckPlan,
    changes: Sequence[Change],
    types: Sequence[TypesFound],
    tests: Sequence[TestsFound],
) -> list[str]:
    """The changed files that neither a type checker nor a test has looked at.

    Tests that cannot run with the change have looked at it, too.
    """
    have_looked = any(found.has_run or found.broken for found in tests)
    seen: set[str] = set(plan.tested) if have_looked else set()
    loaded = [found.loaded for found in tests if found.loaded is not None]
    if loaded:
        known = frozenset().union(*loaded, (one.path for one in changes if one.after is None))
        seen = {path for path in seen if path in known or not path.endswith(".py")}
    seen |= {one.path for one in changes if any(found.sees(one) for found in types)}
    return [path for path in plan.changed if path not in seen]


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def is_type_checked(path: str, content: bytes | None) -> bool:
    """Whether a checker that reads a file looks for errors in it, as far as the file says that.

    JavaScript counts only if its first lines ask for it, and declarations (``.d.ts``) never do.
    """
    text = content or b""
    if _DECLARATIONS.fullmatch(path) or _OFF.search(text):
        return False
    if path.endswith(_UNTYPED):
        return _asks_for_check(text)
    return not path.endswith(".vue") or bool(_TYPED_VUE.search(text))


def sets_the_rules(path: str) -> bool:
    """Whether a file is a test, or configures tests or checkers: its change may hide a failure."""
    *folders, name = path.split("/")
    return is_test(path) or bool(_TEST_FOLDERS & set(folders) or _RULES.fullmatch(name))


def _asks_for_check(text: bytes) -> bool:
    for line in text.removeprefix(b"\xef\xbb\xbf").splitlines():
        if _ON.match(line):
            return True
        if line.strip() and not line.lstrip().startswith((b"//", b"#!")):
            return False
    return False
