"""``%ipuaro graph``, and what it leaves in a saved notebook."""

import pytest

from ipuaro_jupyter.views.live_data import GRAPH_TYPE, TABLE_TYPE

FILES = {
    "src/retry.ts": "import { b } from './b<i>.js'\nexport function retry() { return b ? 1 : 2 }\n",
    "src/b<i>.ts": "export const b = 1\n",
    "main.ts": "import './src/retry'\n",
}


@pytest.fixture
def project(make_project):
    return make_project(FILES)


def test_a_graph_is_a_value_too(kernel):
    kernel.begin()
    drawn = kernel.run("%ipuaro graph src").result()
    assert "<svg" in drawn["text/html"]
    ran = kernel.run("set(_.nodes_to_pandas().path) == set(_.nodes), 'src/retry.ts' in _.nodes")
    assert ran.result()["text/plain"] == "(True, True)"


def test_the_output_of_a_cell_holds_text_html_and_what_is_drawn_live(started):
    data = started.run("%ipuaro graph").result()
    assert set(data) == {"text/plain", "text/html", GRAPH_TYPE}
    live = data[GRAPH_TYPE]
    assert [node["id"] for node in live["nodes"]] == ["main.ts", "src/b<i>.ts", "src/retry.ts"]
    assert [live["nodes"][a]["id"] for a, _ in live["edges"]] == ["main.ts", "src/retry.ts"]
    assert live["nodes"][1]["href"].endswith("project/src/b%3Ci%3E.ts")
    table = started.run("%ipuaro complexity").result()[TABLE_TYPE]
    assert [column["kind"] for column in table["columns"]] == [
        *("path", "bar", "number", "number", "number")
    ]
    assert "retry" in table["code"][0]["html"]
