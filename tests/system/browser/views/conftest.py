"""Saved notebooks with live tables and graphs, opened as they were saved: nobody trusts them."""

import nbformat
import pytest

TYPES = {
    "graph": "application/vnd.ipuaro.graph.v1+json",
    "table": "application/vnd.ipuaro.table.v1+json",
}
CODE = '<pre class="ipuaro-code"><code><span class="ipuaro-k">return</span> {}</code></pre>'
KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
FILES = ["src/main.ts", "src/auth/login.ts", "src/auth/token.ts", "src/store.ts", "src/log.ts"]


class Picture:
    """The picture of a graph in an output, once it is drawn."""

    def __init__(self, output):
        self.frame = output.locator(".ipuaro-live-picture")
        self.frame.locator("canvas").first.wait_for()
        self.wait_for("node._cyreg?.cy.nodes().length > 0")

    def wait_for(self, condition, value=None):
        """Wait until a JavaScript expression of ``node`` and ``value`` holds."""
        self.frame.page.wait_for_function(
            f"([node, value]) => {condition}", arg=[self.frame.element_handle(), value]
        )

    def items(self):
        """Return what is drawn: label, shape, border, colour, found or far, place in the frame."""
        return self.frame.evaluate(_ITEMS)

    def names(self):
        """Return the first lines of the labels."""
        return {item["label"].split("\n")[0] for item in self.items()}

    def labels(self):
        """Return the names that are shown: text and the edges of their box in the frame."""
        return self.frame.evaluate(_LABELS)

    def sees(self, label):
        """Whether the item of that label is well inside of the frame."""
        return self.frame.evaluate(_SEES, label)

    def zoom(self):
        """Return how large one pixel is drawn."""
        return self.frame.evaluate("node => node._cyreg.cy.zoom()")

    def click(self, name):
        """Click on a file or a closed folder."""
        found = next(item for item in self.items() if item["label"].split("\n")[0] == name)
        self.frame.click(position={"x": found["x"], "y": found["y"]})


_ITEMS = """node => node._cyreg.cy.nodes().not('.open').map(item => ({
  label: item.data('label'), ...item.renderedPosition(), shape: item.style('shape'),
  border: item.style('border-style'), found: item.hasClass('found'), far: item.hasClass('far'),
  colour: item.style('border-color'),
}))"""

_SEES = """(node, label) => {
  const { cy } = node._cyreg;
  const { x, y } = cy.nodes().filter(one => one.data('label') === label)[0].renderedPosition();
  return x > 60 && x < cy.width() - 60 && y > 60 && y < cy.height() - 60;
}"""
_LABELS = """async node => {
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name);
  const { Labels } = await import(loaded.find(name => name.includes('/labels.js')));
  const before = Labels.prototype.seen;
  return new Promise(done => {
    Labels.prototype.seen = function () {
      const seen = before.call(this);
      if (this.cy === node._cyreg.cy && this.ready === this.all.length) {
        Labels.prototype.seen = before;
        done(seen.map(({ label: { lines }, x, y, width, height }) => ({
          text: lines.join('\\n'), left: x - width / 2, right: x + width / 2,
          top: y - height / 2, bottom: y + height / 2,
        })));
      }
      return seen;
    };
    node._cyreg.cy.emit('render');
  });
}"""


@pytest.fixture
def views(lab, page_of, front_end):
    """Return a function that opens a notebook, a cell for each pair of a kind and its data."""

    def open_them(*outputs, theme=""):
        folder = lab.root / f"views-{front_end}"
        (folder / "src").mkdir(parents=True, exist_ok=True)
        (folder / "src/main.ts").write_text("one\ntwo\nthree\nfour\n" * 50)
        cells = [_cell({TYPES[kind]: data}) for kind, data in outputs]
        notebook = nbformat.v4.new_notebook(cells=cells, metadata=KERNEL)
        nbformat.write(notebook, folder / "views.ipynb")
        return page_of(f"{folder.name}/views.ipynb", theme=theme, kernel=False)

    return open_them


def _cell(data):
    data = {"text/plain": "plain", "text/html": "<b>static</b>", **data}
    output = nbformat.v4.new_output("display_data", data=data)
    return nbformat.v4.new_code_cell("1", outputs=[output])


@pytest.fixture
def picture_of():
    """Return what waits for the picture in an output."""
    return Picture


@pytest.fixture
def table_of():
    """Return a function that makes a table of a number of rows."""

    def make(count):
        paths = [f"src/part{number % 7}/file{number}.ts" for number in range(count)]
        return {
            "version": 1,
            "title": "Complexity",
            "note": "of every file",
            "columns": [
                {"name": "file", "kind": "path", "max": None},
                {"name": "function", "kind": "text", "max": None},
                {"name": "lines", "kind": "number", "max": None},
                {"name": "score", "kind": "bar", "max": 100},
            ],
            "rows": [
                [path, f"run{number}", number * 7 % 101, number * 13 % 100]
                for number, path in enumerate(paths)
            ],
            "links": [{"href": path, "line": 3} for path in paths],
            "code": [
                {
                    "title": f"run{number}",
                    "language": "ts",
                    "start": 3,
                    "html": CODE.format(number),
                }
                for number in range(count)
            ],
        }

    return make


@pytest.fixture
def graph_of():
    """Return a function that makes a graph of paths and of edges between their numbers."""

    def make(files, edges, *, marks=None, cycles=()):
        return {
            "version": 1,
            "title": "Dependencies",
            "focus": None,
            "nodes": [
                {
                    "id": path,
                    "folder": path.rpartition("/")[0],
                    "marks": (marks or {}).get(path, []),
                    "loc": 10,
                    "score": 20.0,
                    "href": path,
                }
                for path in files
            ],
            "edges": edges,
            "cycles": list(cycles),
            "truncated": 0,
        }

    return make


@pytest.fixture
def small_graph(graph_of):
    """main uses login, login and token each other, login store, store log."""
    marks = {FILES[0]: ["entry"], FILES[1]: ["cycle"], FILES[2]: ["cycle"], FILES[4]: ["hub"]}
    edges = [[0, 1], [1, 2], [2, 1], [1, 3], [3, 4]]
    return graph_of(FILES, edges, marks=marks, cycles=[[1, 2]])
