from shells import cells, notebook, one_shell

__all__ = ["cells", "notebook", "one_shell"]


def test_cells_have_their_outputs_and_errors(notebook, cells):
    assistant = notebook({})
    first = cells.run("print('hello')\n40 + 2").execution_count
    cells.run("%%ask\nWhat is it?")
    cells.run("1 / 0")
    result = assistant.call("notebook_cells", by_user=False)
    told = result.output.cells
    assert [one.source for one in told] == ["print('hello')\n40 + 2", "1 / 0"]
    assert told[0].output == "hello\n42"
    assert told[1].error == "ZeroDivisionError: division by zero"
    text = result.text()
    assert text.index("1 / 0") < text.index(f"[{first}]\nprint('hello')")
    assert [row[0] for row in result.output.shape().rows] == [first, first + 2]


def test_a_long_output_keeps_its_ends(notebook, cells):
    assistant = notebook({})
    cells.run("print('a' * 9000 + 'end')")
    (told,) = assistant.call("notebook_cells", by_user=False).output.cells
    assert told.output.startswith("aaa")
    assert "characters left out" in told.output
    assert told.output.endswith("end")


def test_without_cells_it_says_so(notebook):
    text = notebook({}).call("notebook_cells", by_user=False).text()
    assert text == "No cell was run, except for those of the assistant."


def test_outputs_that_ipython_does_not_keep_are_told(notebook, cells):
    assistant = notebook({})
    cells.run("import asyncio\nawait asyncio.sleep(0)\nprint('lost')")
    result = assistant.call("notebook_cells", by_user=False)
    assert not result.output.cells[0].is_whole
    assert "IPython does not keep all that this cell printed" in result.text()
