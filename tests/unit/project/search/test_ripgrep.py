"""What ripgrep is asked matches at least what Python's expressions match."""

import random
import re
import shutil
import subprocess

import pytest

from ipuaro_jupyter.project.search import ripgrep
from ipuaro_jupyter.project.search.line_finders import folded

SIGNS = (
    "abiksIKS_ -.:\"'{}[]<>=,9é½\u03c3\u03a3\u03c2\u017f\u212aİ\u0131\u00a0\t\r\x08\x0c\x1c^$()/Zz"
)
ATOMS = [
    *"abiksIKS_ -:\"'{}]<>=,9é\u017f\u03c3½.^$",
    *(
        "\u212a",
        "İ",
        "\u0131",
        "\\d",
        "\\w",
        "\\s",
        "\\D",
        "\\W",
        "\\S",
        "\\b",
        "\\B",
        "\\.",
        "\\(",
    ),
    *("\\[", "\\-", "\\t", "\\x41", "\\u00e9", "\\/", "\\n", "\\A", "\\Z"),
]
ITEMS = [
    *("a-z", "A-K", "0-9", "a", "i", "k", "\\d", "\\w", "\\s", "\\W", "-", "é", "a-é", "\\]"),
    *("\\-", "\\n", "\\b", ".", "[", "\u017f", "\u212a", "_", "\\x20-\\x7e"),
]
QUANTIFIERS = ["*", "+", "?", "{1,2}", "{,2}", "{2}", "*?", "+?", "{0,}", "??"]


class Patterns:
    """Makes regular expressions of all that is translated, nested three levels deep."""

    def __init__(self, seed):
        self._random = random.Random(seed)

    def pattern(self):
        return self._random.choice(["", "", "(?i)"]) + self._choice(0)

    def lines(self):
        lengths = [self._random.randint(0, 7) for _ in range(300)]
        made = {"".join(self._random.choices(SIGNS, k=length)) for length in lengths}
        return sorted(line for line in made | {"", "a", "\x08"} if not line.endswith("\r"))

    def _choice(self, depth):
        return "|".join(self._sequence(depth) for _ in range(self._random.choice([1, 1, 2])))

    def _sequence(self, depth):
        out = ""
        for _ in range(self._random.randint(1, 4)):
            out += self._atom(depth)
            if self._random.random() < 0.3:
                out += self._random.choice(QUANTIFIERS)
        return out

    def _atom(self, depth):
        kind = self._random.random()
        if kind < 0.6 or depth > 2:
            return self._random.choice(ATOMS)
        if kind < 0.8:
            items = self._random.choices(ITEMS, k=self._random.randint(1, 4))
            return f"[{self._random.choice(['', '^', ']'])}{''.join(items)}]"
        group = self._random.choice(["(", "(?:", f"(?P<n{self._random.randrange(10**9)}>"])
        return f"{group}{self._choice(depth + 1)})"


def examples(seed, count):
    """Yield patterns that Python takes, whether case is ignored, and the lines that match."""
    patterns = Patterns(seed)
    lines = patterns.lines()
    while count:
        pattern, ignore_case = patterns.pattern(), count % 2 == 0
        try:
            regex = re.compile(pattern, re.IGNORECASE if ignore_case else 0)
        except re.error:
            continue
        yield pattern, ignore_case, {line for line in lines if regex.search(line)}
        count -= 1


def as_python(expression):
    return re.sub(r"\\x\{(\w+)\}", lambda found: f"\\U{int(found[1], 16):08x}", expression)


@pytest.mark.filterwarnings("ignore:Possible:FutureWarning")
def test_a_widened_expression_matches_at_least_the_same_lines():
    for pattern, ignore_case, matching in examples(1, 300):
        widened = ripgrep.widened(pattern, ignore_case=ignore_case)
        assert widened is not None, pattern
        regex = re.compile(as_python(widened))
        missed = [line for line in matching if not regex.search(line)]
        assert not missed, (pattern, ignore_case, widened)


@pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is not installed")
@pytest.mark.filterwarnings("ignore:Possible:FutureWarning")
def test_ripgrep_matches_at_least_the_same_lines(tmp_path):
    (tmp_path / "all").write_bytes("\n".join(Patterns(2).lines()).encode() + b"\n")
    argv = ["rg", "--no-config", "-N", "--text", "--encoding=none", "--case-sensitive", "-e"]
    for pattern, ignore_case, matching in examples(2, 60):
        widened = ripgrep.widened(pattern, ignore_case=ignore_case)
        done = subprocess.run([*argv, widened, tmp_path / "all"], check=False, capture_output=True)
        assert done.returncode < 2, (pattern, widened, done.stderr)
        assert matching <= set(done.stdout.decode().split("\n")), (pattern, ignore_case, widened)


def test_every_letter_that_is_alike_is_found():
    """Python's notion of case differs from ripgrep's in some letters."""
    letters = [chr(code) for code in range(0x3000) if chr(code).isalpha()]
    by_fold = {}
    for letter in letters:
        by_fold.setdefault(folded(letter), []).append(letter)
    for alike in by_fold.values():
        for letter in alike:
            regex = re.compile(as_python(ripgrep.literal(letter, ignore_case=True)))
            assert all(regex.fullmatch(other) for other in alike), alike


@pytest.mark.parametrize("letter", "iksIKS")
def test_letters_that_are_alike_in_regular_expressions_are_found(letter):
    python = re.compile(letter, re.IGNORECASE)
    wide = re.compile(as_python(ripgrep.widened(letter, ignore_case=True)))
    alike = [chr(code) for code in range(0x3000) if python.fullmatch(chr(code))]
    assert len(alike) > 2
    assert all(wide.fullmatch(sign) for sign in alike)


@pytest.mark.parametrize(
    "pattern",
    [
        "a(?=b)",
        "(?<!a)b",
        r"(a)\1",
        "(?P<n>a)(?P=n)",
        "(?x)a b",
        "(?i:a)b",
        "(?>a)",
        r"\N{DASH}",
        "[a",
        r"\xg0",
        r"\U00110000",
    ],
)
def test_what_has_no_equivalent_is_left_to_python(pattern):
    assert ripgrep.widened(pattern, ignore_case=False) is None


def test_files_that_may_match_are_named_in_their_order(tmp_path):
    if not ripgrep.is_there():
        pytest.skip("ripgrep is not installed")
    names = ["b b.ts", "a.ts", "-", "--help", "ü\n.ts", "none.ts", "deep/x.ts"]
    (tmp_path / "deep").mkdir()
    for name in names:
        (tmp_path / name).write_text("nothing\n" if name == "none.ts" else "a needle\n")
    wanted = ripgrep.literal("NEEDLE", ignore_case=True)
    for asked in (names, [*names, "gone.ts"]):
        found = ripgrep.may_match(tmp_path, asked, wanted, timeout_s=60)
        assert found == [name for name in names if name != "none.ts"]


def test_nothing_is_certain_of_files_whose_search_fails(tmp_path):
    if not ripgrep.is_there():
        pytest.skip("ripgrep is not installed")
    (tmp_path / "a.ts").write_text("x\n")
    assert ripgrep.may_match(tmp_path, ["a.ts"], "(", timeout_s=60) is None


@pytest.mark.parametrize("environment", [0, 90_000])
def test_many_files_are_asked_about_in_portions(tmp_path, monkeypatch, environment):
    if not ripgrep.is_there():
        pytest.skip("ripgrep is not installed")
    monkeypatch.setenv("IPUARO_TEST", "x" * environment)
    names = [f"{number}{'n' * 200}" for number in range(20_000)]
    (tmp_path / names[3]).write_text("x\n")
    portions = list(ripgrep.portions(names))
    assert [name for portion in portions for name in portion] == names
    assert len(portions[0]) < len(portions[1])
    assert len(portions) < 10
    for portion in portions[:2]:
        found = ripgrep.may_match(tmp_path, portion, "x", timeout_s=60)
        assert found == ([names[3]] if names[3] in portion else [])


def test_without_ripgrep_nothing_is_known(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not ripgrep.is_there()
    assert ripgrep.may_match(tmp_path, ["a.ts"], "x", timeout_s=60) is None
