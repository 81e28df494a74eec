"""Links in the README, the guide and other pages lead somewhere; each failure says where not."""

import re
from pathlib import Path
from urllib.parse import unquote

import nbformat
import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "notebooks").glob("*.md")),
    *sorted((ROOT / "notebooks").glob("*.ipynb")),
    *sorted((ROOT / "tests").glob("*/README.md")),
]
ENTRANCES = [
    ROOT / "README.md",
    *(ROOT / "notebooks" / name for name in ("README.md", "reference.md", "contributing.md")),
]
GUIDE = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))

pytestmark = pytest.mark.checkout


def markdown_of(page):
    if page.suffix != ".ipynb":
        return page.read_text("utf-8")
    cells = nbformat.read(page, as_version=4).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def tokens_of(page):
    for block in MarkdownIt("commonmark").enable("table").parse(markdown_of(page)):
        yield block
        yield from block.children or ()


def links_of(page):
    wanted = {"link_open": "href", "image": "src"}
    found = (token.attrGet(wanted[token.type]) for token in tokens_of(page) if token.type in wanted)
    return [link for link in found if not re.match(r"[a-z]+:", link)]


def anchors_of(page):
    """The names that GitHub gives to headings."""
    names, is_heading = set(), False
    for token in tokens_of(page):
        if is_heading and token.type == "inline":
            text = "".join(part.content for part in token.children)
            names.add(re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-"))
        is_heading = token.type == "heading_open"
    return names


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_of_a_page_lead_somewhere(page):
    for link in links_of(page):
        path, _, anchor = unquote(link).partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page}: the link {link!r} leads to nothing"
        assert target.is_relative_to(ROOT), f"{page}: the link {link!r} leads out of the project"
        if anchor:
            known = anchors_of(target)
            assert anchor in known, f"{page}: {link!r} names no heading; there are {sorted(known)}"


@pytest.mark.parametrize("page", ENTRANCES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_readme_guide_reference_and_contributing_lead_to_each_other(page):
    linked = {(page.parent / link.partition("#")[0]).resolve() for link in links_of(page)}
    missing = {path for path in ENTRANCES if path != page} - linked
    assert not missing, f"{page} has no link to {sorted(map(str, missing))}"


def test_the_guide_lists_every_page_and_every_page_leads_to_another():
    listed = links_of(ROOT / "notebooks" / "README.md")
    assert sorted(link for link in listed if link.endswith(".ipynb")) == GUIDE
    for name in GUIDE:
        links = links_of(ROOT / "notebooks" / name)
        others = [link for link in links if link.endswith(".ipynb")]
        assert others, f"{name} leads to no other page: link one where to go next"
