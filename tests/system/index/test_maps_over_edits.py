"""What is kept of a survey over edits changes nothing of the map of a project."""

import random

import pytest

from ipuaro_jupyter.index.project_map import project_map
from ipuaro_jupyter.index.ranking import name_uses, survey

NAMES = [f"{first}{second}" for first in ("open", "read", "close") for second in ("File", "Book")]


def drawn(draw, others):
    """Return the text of a file that imports, exports and uses some of a few names."""
    lines = [f"import '{draw.choice(others)}'" for _ in range(draw.randint(0, 2))]
    forms = ("export const {} = 1", "export function {}() {{}}")
    exported = draw.sample(NAMES, draw.randint(0, 3))
    lines += [draw.choice(forms).format(name) for name in exported]
    lines += [f"{name}({name})"[: draw.choice([99, -1])] for name in draw.choices(NAMES, k=3)]
    return "\n".join(lines) + "\n"


def everything(found):
    count = range(len(found.paths))
    return {
        "uses": [list(found.uses[n]) for n in count],
        "users": [list(found.users[n]) for n in count],
        "around": [list(found.around[n]) for n in count],
        "ranks": list(found.ranks),
        "impact": list(found.impact),
        "cycles": list(found.cycles),
        "components": [list(group) for group in found.components],
        "imports": found.imports.edges,
        "words": found.words.about(["open", "file", "read", "book", "m1", "const"]),
        "every word": found.words._found,
        "words of each": list(map(set, found.words._words)),
        "names": found.named,
        "mtimes": found.mtimes,
        "exporters": found.names and found.names.exporters,
        "occurring": found.names and found.names.users,
        "occurring in": found.names and found.names.occurring,
        "weights": found.names and list(found.names.weights),
    }


@pytest.mark.parametrize("most", [2, 10_000], ids=["very many", "few"])
@pytest.mark.parametrize("seed", range(4))
def test_the_map_after_any_changes_is_as_one_made_from_nothing(
    make_project, open_index, monkeypatch, seed, most
):
    monkeypatch.setattr(survey, "_VERY_MANY_FILES", most)
    monkeypatch.setattr(survey, "_FEW_CHANGES", 3)
    monkeypatch.setattr(name_uses, "_MOST_DEFINERS", 3)
    draw = random.Random(seed)
    root = make_project({"src/start.ts": "import './m1'\n"})
    index = open_index(root)
    index.refresh()

    def write(path, text):
        (root / path).write_text(text)
        index.touch([path])

    paths = [f"src/m{number}.ts" for number in range(9)]
    modules = [f"./m{number}" for number in range(9)]
    for path in paths[:7]:
        write(path, drawn(draw, modules))
    for turn in range(30):
        path = draw.choice(paths[:7])
        write(path, f"{(root / path).read_text()}{draw.choice(NAMES)}()\n")
        index.imports.survey()  # keeps the ranks, as nothing else is declared or imported
        for path in draw.sample(paths, draw.choice([1, 1, 1, 2, 3, 5])):
            write(path, drawn(draw, modules))
        write(paths[0], f"{drawn(draw, modules)}export const only{turn} = 1\n")
        known = index.imports.survey()
        anew = survey.survey_of(index._stored, index._sync.snapshot)
        assert everything(known) == everything(anew)
        text = project_map(index, 2000)
        index.imports._survey = anew
        assert project_map(index, 2000) == text
        index.imports._survey = known
