"""What a survey keeps when the index changes, and what it makes anew."""

import pytest

from ipuaro_jupyter.index.ranking import survey

FILES = {
    "src/tax.ts": "export function vat(price: number) {\n  return price * 0.2\n}\n",
    "src/pay.ts": "import { vat } from './tax'\nexport const pay = (sum: number) => vat(sum)\n",
    "src/shop.ts": "import { pay } from './pay'\npay(1)\n",
}


@pytest.fixture(params=["few", "very many"])
def index(request, make_project, open_index, monkeypatch):
    """Return the index of a project that counts as one of few files, or of very many."""
    if request.param == "very many":
        monkeypatch.setattr(survey, "_VERY_MANY_FILES", 2)
    root = make_project(FILES)
    found = open_index(root)
    found.refresh()
    return found


@pytest.fixture
def write(index, tmp_path):
    """Return a function that writes a file of the project."""

    def write_file(path, text):
        (tmp_path / "project" / path).write_text(text)
        index.touch([path])

    return write_file


def test_an_edit_inside_of_a_function_keeps_the_ranks(index, write):
    before = index.imports.survey()
    ranks = before.ranks
    write("src/tax.ts", FILES["src/tax.ts"].replace("0.2", "0.19"))
    after = index.imports.survey()
    assert after.ranks is ranks
    assert after.generation != before.generation
    place = after.numbers["src/tax.ts"]
    assert after.mtimes[place] > before.mtimes[place]


def test_an_import_more_is_in_the_survey(index, write):
    before = index.imports.survey()
    assert before.imports.dependents["src/tax.ts"] == {"src/pay.ts"}
    write("src/shop.ts", FILES["src/shop.ts"] + "import './tax'\n")
    after = index.imports.survey()
    assert after.imports.dependents["src/tax.ts"] == {"src/pay.ts", "src/shop.ts"}
    assert after.ranks != before.ranks


def test_a_new_file_is_in_the_survey(index, write):
    assert len(index.imports.survey().paths) == len(FILES)
    write("src/new.ts", "import './shop'\n")
    after = index.imports.survey()
    assert "src/new.ts" in after.paths
    assert after.imports.dependents["src/shop.ts"] == {"src/new.ts"}


def test_a_new_name_is_found_by_its_words(index, write):
    index.imports.survey()
    write("src/tax.ts", FILES["src/tax.ts"] + "export const surcharge = 1\n")
    found = index.imports.survey()
    place = found.numbers["src/tax.ts"]
    assert list(found.declared(["surcharge"])["surcharge"]) == [place]
    assert found.is_huge or place in found.words.about(["surcharg"])
