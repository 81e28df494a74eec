"""All strategies of a search find the same, on files and patterns made at random."""

import os
import random
import re

import pytest

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.project.search import ripgrep, search
from ipuaro_jupyter.project.search.files_in import text_files_in
from ipuaro_jupyter.project.search.search_result import Query
from ipuaro_jupyter.workspace.files.text_file import sniff

STRATEGIES = ("python", "ripgrep", "hybrid", "smart")
PATIENT = {"first_match_s": 120.0, "total_s": 120.0}
LONG_TREES = int(os.environ.get("IPUARO_SEARCH_TREES", "2"))


class Tree:
    """Makes files of all kinds, and patterns that are in some of them."""

    WORDS = ("id", "Id", "foo_bar", "straße", "STRASSE", "x.y", "a|b", "(z)", "TODO", "é", "0x1F")

    def __init__(self, seed):
        self._random = random.Random(seed)

    def files(self):
        for number in range(70):
            folder = self._random.choice(
                ["", "src/", "src/deep/", "node_modules/m/", ".hid/", "gen/"]
            )
            kind = self._random.choice(["ts", "py", "md", "png", "js"])
            yield f"{folder}f{number}.{kind}", self._content()
        yield ".gitignore", b"gen/\n*.md\n"

    def _content(self):
        end = self._random.choice(["\n", "\r\n", "\n", "\r"])
        lines = [self._line() for _ in range(self._random.randint(0, 12))]
        text = end.join(lines) + self._random.choice(["", end])
        start = self._random.choice(["", "", "", "\ufeff"])
        data = (start + text).encode(self._random.choice(["utf-8"] * 9 + ["utf-16"]))
        return data + self._random.choice([b""] * 12 + [b"\0", b"\xff"])

    def _line(self):
        words = self._random.choices(self.WORDS, k=self._random.randint(0, 5))
        line = self._random.choice([" ", ".", "", "\t"]).join(words)
        return line * (100 if self._random.random() < 0.02 else 1)

    def query(self):
        word, other = self._random.choices(self.WORDS, k=2)
        regex = self._random.random() < 0.6
        forms = (
            *(re.escape(word), rf"\b{re.escape(word)}\b", rf"^{re.escape(word)}", r"\w+_\w+$"),
            *(rf"{re.escape(word)}.*{re.escape(other)}", r"[a-z]\.[x-z]", r"\s\S", r"\d\w", "^$"),
            *(rf"{re.escape(word)}|{re.escape(other)}", r"(?<=o)o", r"(.)\1", "[^a-z]é", r"\bst"),
        )
        return Query(
            self._random.choice(forms) if regex else word[: self._random.choice([1, 2, 9])],
            use_regex=regex,
            case_sensitive=self._random.random() < 0.5,
            max_results=self._random.choice([3, 50, 2000]),
            context_lines=self._random.choice([0, 1, 3]),
            **PATIENT,
        )


def expected(root, files, query):
    """Return where ``query`` matches, found in the plainest way there is."""
    flags = 0 if query.case_sensitive else re.IGNORECASE
    found = []
    for path in files:
        data = (root / path).read_bytes()
        if sniff(data, path) is not None:
            continue
        for number, line in enumerate(re.split("\r?\n", data.decode("utf-8-sig")), 1):
            if query.use_regex:
                matches = re.search(query.pattern, line, flags)
            elif query.case_sensitive:
                matches = query.pattern in line
            else:
                matches = query.pattern.lower() in line.lower()
            found += [(path, number)] if matches else []
    return found


@pytest.mark.parametrize("seed", range(LONG_TREES))
def test_all_strategies_find_the_same(opened, seed, monkeypatch):
    monkeypatch.setattr(search, "_FEW_FILES", 8)
    assert ripgrep.is_there() or not os.environ.get("CI"), "CI needs ripgrep."
    tree = Tree(seed)
    for path, data in tree.files():
        opened.write(path, data)
    files = text_files_in(opened.workspace, ".").files
    for _ in range(6):
        query = tree.query()
        answers = []
        for strategy in STRATEGIES:
            asked = Query(**(vars(query) | {"strategy": strategy}))
            found = search.search(opened.workspace, files, asked, CancelToken())
            answers.append((found.matches, found.total, found.is_total))
        assert answers.count(answers[0]) == len(answers), query
        if not query.use_regex or query.pattern != "^$":  # a file's end is no empty line
            all_ = expected(opened.root, files, query)
            assert answers[0][1] == len(all_), query
            assert {(match.path, match.line) for match in answers[0][0]} <= set(all_)
