"""Cells are changed in a file of which every other byte stays."""

import json
import time
from string import ascii_lowercase

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.project.cells.cell_bytes import CellBytes, CellsError
from ipuaro_jupyter.project.cells.changed_cells import (
    with_cell,
    with_moved_cell,
    with_source,
    without_cell,
)

STYLES = [
    {"indent": 1, "ensure_ascii": False},
    {"indent": 2, "ensure_ascii": True},
    {"indent": "\t", "ensure_ascii": False, "separators": (",", ":")},
    {"indent": None, "ensure_ascii": False, "separators": (",", ":")},
    {"indent": None, "ensure_ascii": True},
]
words = st.text(st.sampled_from([*'ab"\\{}[]:,/ é\u2028😀\t\r']), max_size=8)
texts = st.lists(words, max_size=6).map("\n".join)
anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 10**9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def cells(draw, number):
    kind = draw(st.sampled_from(["code", "markdown", "raw"]))
    text = draw(texts)
    made = {
        "cell_type": kind,
        "metadata": draw(st.dictionaries(st.sampled_from([*ascii_lowercase]), anything)),
        "source": draw(st.sampled_from([text, text.splitlines(keepends=True), [text]])),
        "id": f"cell-{number}",
    }
    if kind == "code":
        data = {"text/plain": draw(words), "application/json": draw(anything)}
        output = {"output_type": "display_data", "metadata": {}, "data": data}
        made |= {"outputs": [output] * draw(st.integers(0, 2)), "execution_count": None}
    return dict(draw(st.permutations([*made.items()])))


@st.composite
def documents(draw):
    """Return a notebook and the way it is written, with a key that comes first or last."""
    listed = [draw(cells(number)) for number in range(draw(st.integers(0, 5)))]
    metadata = {"title": "é", "more": draw(anything)}
    parts = {"cells": listed, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return dict(draw(st.permutations([*parts.items()]))), draw(st.sampled_from(STYLES))


def written(document, style):
    return json.dumps(document, **style).encode()


def raw_cells(data):
    return [data[span.start : span.end] for span in CellBytes(data).cells]


@given(documents(), texts, st.data())
def test_a_change_is_what_the_writer_of_the_file_would_have_made(made, text, data):
    """The whole file is compared: other cells, outputs, metadata, order of keys, indentation."""
    document, style = made
    before = written(document, style)
    notebook = CellBytes(before)
    listed = document["cells"]
    if not listed:
        return
    number = data.draw(st.integers(1, len(listed)))
    after = data.draw(st.integers(0, len(listed)))
    others = [*listed[: number - 1], *listed[number:]]
    assert without_cell(notebook, number) == written({**document, "cells": others}, style)
    others.insert(after if after < number else after - 1, listed[number - 1])
    moved = with_moved_cell(notebook, number, after)
    assert moved == written({**document, "cells": others}, style)
    old = listed[number - 1]["source"]
    new = text if isinstance(old, str) else [f"{line}\n" for line in text.split("\n")]
    if isinstance(new, list):
        new[-1] = new[-1][:-1]
        new = new if new[-1] else new[:-1]
    if "".join(old) == text:
        new = old
    edited = {**listed[number - 1], "source": new}
    whole = {**document, "cells": [*listed[: number - 1], edited, *listed[number:]]}
    assert with_source(notebook, number, text) == written(whole, style)
    assert with_source(notebook, number, notebook.source(number)) == before


@pytest.mark.timeout(1200)
@given(documents(), texts, st.sampled_from(["code", "markdown", "raw"]), st.data())
def test_a_new_cell_is_valid_and_leaves_the_others(made, text, kind, data):
    document, style = made
    before = written(document, style)
    count = len(document["cells"])
    after = data.draw(st.integers(0, count))
    result = with_cell(CellBytes(before), after, kind, text)
    read = json.loads(result)
    nbformat.validate(read)
    assert "".join(read["cells"][after]["source"]) == text
    assert read["cells"][after]["cell_type"] == kind
    assert raw_cells(result)[:after] + raw_cells(result)[after + 1 :] == raw_cells(before)
    if count:
        head = CellBytes(before).cells[0].start
        tail = len(before) - CellBytes(before).cells[-1].end
        assert result[:head] == before[:head]
        assert result[-tail:] == before[-tail:]
    assert len(written(json.loads(result), style)) == len(result)
    gone = without_cell(CellBytes(result), after + 1)
    assert gone == before


@given(documents(), st.sampled_from([b"\r\n", b"\n"]), st.sampled_from([b"", b"\xef\xbb\xbf"]))
def test_line_ends_and_byte_order_mark_stay(made, end, mark):
    document, style = made
    before = mark + written(document, style).replace(b"\n", end) + end
    notebook = CellBytes(before)
    assert len(notebook.cells) == len(document["cells"])
    result = with_cell(notebook, 0, "code", "a\nb")
    assert result.startswith(mark)
    assert result.count(b"\n") == result.count(end)
    assert without_cell(CellBytes(result), 1) == before


def test_equal_lines_keep_their_bytes_however_they_are_written():
    data = (
        b'{"cells": [{"cell_type": "raw", "metadata": {}, "source": [ "\\u0061\\n" ,\n'
        b'  "b\\n","\\/"\t] }], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}'
    )
    assert with_source(CellBytes(data), 1, "a\nc\n/") == data.replace(b'"b\\n"', b'"c\\n"')
    assert with_source(CellBytes(data), 1, "a\n/") == data.replace(b'"b\\n",', b"")
    assert with_source(CellBytes(data), 1, "a\n") == data.replace(b' ,\n  "b\\n","\\/"', b"")
    assert with_source(CellBytes(data), 1, "a\nb\nx\n/") == data.replace(
        b'"b\\n"', b'"b\\n" ,\n  "x\\n"'
    )
    assert with_source(CellBytes(data), 1, "x\na\nb\n/") == data.replace(
        b'"\\u0061', b'"x\\n" ,\n  "\\u0061'
    )


def test_before_format_45_a_cell_has_no_id_and_after_it_one_of_its_own():
    old = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    made = json.loads(with_cell(CellBytes(written(old, {})), 0, "code", ""))
    assert "id" not in made["cells"][0]
    new = json.loads(with_cell(CellBytes(written({**old, "nbformat_minor": 5}, {})), 0, "code", ""))
    assert new["cells"][0]["id"]


def test_an_empty_notebook_gets_its_first_cell_as_jupyter_writes_it():
    empty = nbformat.writes(nbformat.v4.new_notebook())
    result = with_cell(CellBytes(empty.encode()), 0, "markdown", "a\nb")
    assert nbformat.writes(nbformat.reads(result.decode(), as_version=4)) == result.decode()


def test_a_source_that_was_empty_is_written_as_jupyter_writes_it():
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("")])
    result = with_source(CellBytes(nbformat.writes(made).encode()), 1, "a\nb").decode()
    assert nbformat.writes(nbformat.reads(result, as_version=4)) == result


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"[]", "not a notebook"),
        (b'{"cells": [], "nbformat": 3}', "format 3"),
        (b'{"cells": []}', "format 0"),
        (b'{"nbformat": 4}', "not a notebook"),
        (b'{"cells": [], "nbformat": 4, "x": {}, "cells": []}', "twice"),
        (b'{"x": 1, "x": 22, "cells": [], "nbformat": 4}', "twice"),
        (b"[" * 100_000, "not a notebook"),
        (b'{"cells": [\xff]}', "not a notebook"),
    ],
)
def test_what_cannot_be_changed_by_cells_is_said(data, said):
    with pytest.raises(CellsError, match=said):
        CellBytes(data)


@pytest.mark.parametrize("cell", ['{"id": 1}', '{"source": 3}', '{"source": [1]}'])
def test_a_cell_without_a_text_is_said(cell):
    data = f'{{"cells": [{cell}], "nbformat": 4, "nbformat_minor": 5}}'.encode()
    notebook = CellBytes(data)
    assert not notebook.ids
    with pytest.raises(CellsError, match="cell"):
        notebook.source(1)


def of_size(size, *, pieces):
    output = {"output_type": "stream", "name": "stdout"}
    text = "x" * size if pieces == 1 else ["0.125\n"] * (size // 6)
    listed = [
        {"cell_type": "code", "id": f"c{n}", "metadata": {}, "source": "a", "execution_count": 1}
        | {"outputs": [{**output, "text": text}] if n == 1 else []}
        for n in range(3)
    ]
    return {"cells": listed, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


@pytest.mark.long
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("pieces", [1, 1000])
def test_outputs_of_20_mb_are_passed_over_in_linear_time(style, pieces):
    spent = []
    for size in (2_000_000, 20_000_000):
        document = of_size(size, pieces=pieces)
        before = written(document, style)
        start = time.process_time()
        made = with_source(CellBytes(before), 3, "b\nc")
        spent.append(time.process_time() - start)
        document["cells"][2]["source"] = "b\nc"
        assert made == written(document, style)
    assert spent[1] < 30 * max(spent[0], 0.005)
    assert spent[1] < 2
