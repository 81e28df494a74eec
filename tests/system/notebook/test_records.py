"""Saved outputs, wherever they are shown: all is readable, nothing runs, nothing is loaded.

| shown by | test |
|---|---|
| nbconvert, HTML | test_html_adds_nothing_that_runs_or_loads_to_the_page |
| nbconvert, HTML that is sanitised, as GitHub and nbviewer do | test_sanitised_html_is_readable |
| nbconvert, Markdown | test_markdown_is_read_as_it_was_meant |
| JupyterLab and Notebook, without a kernel and without trust | browser/test_records.py |
| a terminal | test_text_says_everything_too |
"""

import html as html_module
import re
import subprocess
import sys
from html.parser import HTMLParser

import nbformat
import pytest
from markdown_it import MarkdownIt

LOADING = {"src", "srcset", "background", "poster", "data", "action", "formaction", "xlink:href"}
RUNNING = {"script", "iframe", "object", "embed", "applet", "base", "meta", "link", "img"}
WITHOUT_END = {"br", "hr", "img", "input", "link", "meta", "col", "wbr"}


class Page(HTMLParser):
    """What a page shows, loads and runs."""

    def __init__(self, page):
        super().__init__()
        self.text, self.bad, self.styles, self._open = "", [], "", []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag not in WITHOUT_END:
            self._open.append(tag)
        if tag in RUNNING:
            self.bad.append((tag, *attrs))
        for name, value in attrs:
            said = (value or "").strip().lower()
            runs = name.startswith("on") or re.match(r"(javascript|vbscript|data):", said)
            follows = name == "href" and tag != "a" and not said.startswith("#")
            loads = name in LOADING or follows or (name == "style" and "url(" in said)
            if runs or loads:
                self.bad.append((tag, name, value))

    def handle_endtag(self, tag):
        if tag in self._open:
            while self._open.pop() != tag:
                pass

    def handle_data(self, data):
        if "style" in self._open:
            self.styles += data
        elif "script" not in self._open:
            self.text += data

    @property
    def words(self):
        return re.sub(r"\s+", " ", self.text)


def convert(path, *options):
    """Return what nbconvert makes of a notebook."""
    out = path.with_name(f"{path.stem}-{'-'.join(options)}".replace("/", "").replace("=", ""))
    command = [sys.executable, "-m", "nbconvert", str(path), "--to", *options]
    subprocess.run([*command, "--output", str(out)], check=True, timeout=120, capture_output=True)
    (made,) = out.parent.glob(f"{out.name}.*")
    return made.read_text()


def drawn(notebook):
    return [
        output.data["text/html"]
        for cell in notebook.cells
        for output in cell.outputs
        if "text/html" in output.get("data", {})
    ]


@pytest.fixture
def notebook(hostile_notebook):
    return nbformat.read(hostile_notebook.path, as_version=4)


def check_shown(words, hostile_notebook):
    for said, of_what in hostile_notebook.shown.items():
        assert said in words, f"{said!r}, {of_what}, is not there"


def test_every_cell_has_left_a_record(notebook):
    for cell in notebook.cells:
        assert cell.outputs, f"nothing is left of {cell.source!r}"
        for output in cell.outputs:
            kinds = set(output.get("data", {"text/plain": ""}))
            assert "text/plain" in kinds
            assert not any("widget" in kind or "javascript" in kind for kind in kinds)
    assert not notebook.metadata.get("widgets")


def test_no_record_runs_or_loads_anything(notebook):
    found = drawn(notebook)
    assert len(found) > 30
    for record in found:
        page = Page(record)
        assert page.bad == []
        assert "url(" not in page.styles
        assert "@import" not in page.styles


def test_text_says_everything_too(notebook, hostile_notebook):
    outputs = [output for cell in notebook.cells for output in cell.outputs]
    texts = [output.get("data", {}).get("text/plain", "") for output in outputs]
    said = re.sub(r"\s+", " ", "\n".join(texts)).replace("**", "")
    check_shown(said, hostile_notebook)
    assert "\u202e" not in "".join(texts)


def test_html_adds_nothing_that_runs_or_loads_to_the_page(hostile_notebook, tmp_path):
    """The page of nbconvert has scripts of its own: those of an empty notebook are left out."""
    empty = tmp_path / "empty.ipynb"
    nbformat.write(nbformat.v4.new_notebook(), empty)
    page = Page(convert(hostile_notebook.path, "html"))
    own = Page(convert(empty, "html")).bad
    assert [bad for bad in page.bad if bad not in own] == []
    check_shown(page.words, hostile_notebook)
    assert "model not found" not in page.words


def test_sanitised_html_is_readable(hostile_notebook):
    """Style sheets, classes and all that a site might take away are gone; the words stay."""
    text = convert(hostile_notebook.path, "html", "--SanitizeHTML.enabled=True")
    page = Page(text)
    check_shown(html_module.unescape(page.words), hostile_notebook)
    assert "evil.example" in page.words


def test_markdown_is_read_as_it_was_meant(hostile_notebook):
    """Nothing of a record is taken for Markdown, whose images a viewer would load."""
    text = convert(hostile_notebook.path, "markdown")
    page = Page(MarkdownIt("commonmark", {"html": True}).enable("table").render(text))
    assert page.bad == []
    check_shown(page.words, hostile_notebook)
