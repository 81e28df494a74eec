"""Links from a notebook to the project's files."""

import os
from urllib.parse import unquote_to_bytes

import pytest

from ipuaro_jupyter.records.chat import Answer, NamedPlace
from ipuaro_jupyter.views import answer
from ipuaro_jupyter.views.file_links import FileLinks, href
from ipuaro_jupyter.views.prose import markdown


@pytest.fixture
def here(tmp_path, monkeypatch):
    """The kernel's working folder."""
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def drawn(text, here, *places, root="project"):
    made = tuple(NamedPlace(named=n, path=path, line=line) for n, path, line in places)
    return markdown.html(text, FileLinks(made, str(here / root)))


@pytest.mark.parametrize(
    ("root", "path", "seen"),
    [
        ("project", "src/a b.ts", "project/src/a%20b.ts"),
        ("project", "a?b#c%.ts", "project/a%3Fb%23c%25.ts"),
        (".", "a.ts", "a.ts"),
        ("../beside", "a.ts", "../beside/a.ts"),
    ],
)
def test_links_are_relative_to_where_the_kernel_works(here, root, path, seen):
    assert href(str((here / root).resolve()), path) == seen


def test_links_are_relative_to_the_notebook_wherever_the_kernel_works(here, monkeypatch):
    (here / "deep").mkdir()
    (here / "deep" / "x.ipynb").write_text("{}")
    (here / "link").symlink_to(here / "deep")
    monkeypatch.setenv("JPY_SESSION_NAME", str(here / "link" / "x.ipynb"))
    assert href(str(here / "project"), "a.ts") == "../project/a.ts"
    (here / "deep" / "x.ipynb").unlink()
    assert href(str(here / "project"), "a.ts") == "project/a.ts"


def test_a_name_that_is_no_text_is_linked_by_its_bytes(here):
    linked = href(str(here), "caf\udce9.ts")
    assert linked == "caf%E9.ts"
    assert os.fsdecode(unquote_to_bytes(linked)) == "caf\udce9.ts"


def test_what_lies_elsewhere_or_nowhere_is_not_linked():
    assert href("", "a.ts") is None
    assert href("/", "nowhere/a.ts") is None


def test_places_in_prose_in_code_and_in_links_lead_to_their_line(here):
    html = drawn(
        "see src/a.ts:3, `src/a.ts:3` and [x](src/a.ts:3)", here, ("src/a.ts:3", "src/a.ts", 3)
    )
    begin = '<a class="ipuaro-place ipuaro-up-0" href="project/src/a.ts#line=2" title="src/a.ts:3"'
    assert html.count(begin) == 3
    assert f"{begin}><code>src/a.ts:3</code></a>" in html
    assert f"see {begin}>src/a.ts:3</a>, " in html


@pytest.mark.parametrize(
    "text",
    [
        "src/a.tsx",
        "x/src/a.ts",
        "src/a.ts:3",
        "my-src/a.ts",
        "src/a.ts/b",
        "`src/a.ts()`",
        "[src/a.ts](https://example.org)",
        "https://example.org/src/a.ts",
        "```\nsrc/a.ts\n```",
    ],
)
def test_a_part_of_something_else_is_no_place(here, text):
    assert "ipuaro-place" not in drawn(text, here, ("src/a.ts", "src/a.ts", None))


def test_a_link_to_a_file_that_is_not_there_is_none(here):
    html = drawn("[a](gone.ts) [b](#part) [c](https://a.org)", here)
    assert "gone.ts" not in html
    assert 'href="#part"' in html
    assert 'href="https://a.org"' in html


def test_a_link_says_how_many_folders_it_leads_up(here):
    html = drawn("a.ts", here, ("a.ts", "a.ts", None), root="../../other")
    assert 'class="ipuaro-place ipuaro-up-2"' in html
    assert "href" not in drawn("a.ts", here, ("a.ts", "a.ts", None), root="/")


def test_names_are_escaped(here):
    html = drawn("`<b>&.ts`", here, ("<b>&.ts", "<b>&.ts", 1))
    assert "<b>" not in html
    assert 'title="&lt;b&gt;&amp;.ts:1"' in html


def test_an_answer_is_linked_where_its_places_are_known(here):
    told = Answer(question="q", text="`a.ts` [b](b.ts)")
    assert 'href="b.ts"' in answer.html(told)
    places = (NamedPlace(named="a.ts", path="a.ts"),)
    linked = answer.html(told.model_copy(update={"places": places, "root": str(here)}))
    assert 'href="a.ts"' in linked
    assert "b.ts" not in linked
