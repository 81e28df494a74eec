"""What a tool gives back, as text, plain data, DataFrame and Markdown."""

import sys
from typing import ClassVar

import pytest

from ipuaro_jupyter.errors import ProjectError, StorageError, ToolError
from ipuaro_jupyter.records.outputs import Output, Plain, Table, TextOutput, ToolFailure, ToolResult
from ipuaro_jupyter.records.record import Record

TABLE = Table(title="t", columns=("file", "lines"), rows=(("a.ts", 3), ("b.ts", None)))


class Counted(Record):
    file_name: str
    lines: int


class Counts(Output):
    rows_of: ClassVar[str] = "counted"

    counted: tuple[Counted, ...] = ()

    def text(self):
        return f"{len(self.counted)} files"

    def shape(self):
        return Plain(text=self.text())


def failed(**fields):
    failure = ToolFailure.of(ToolError("file", "No such file.", **fields))
    return ToolResult(tool="get_lines", error=failure)


def test_records_of_an_output_are_the_rows_of_its_frame():
    frame = Counts(counted=(Counted(file_name="a.ts", lines=3),)).to_pandas()
    assert frame.to_dict("records") == [{"file_name": "a.ts", "lines": 3}]


def test_frame_without_rows_has_its_columns():
    assert list(Counts().to_pandas().columns) == ["file_name", "lines"]


def test_output_that_is_drawn_as_a_table_is_a_frame_and_markdown():
    result = ToolResult(tool="t", output=TextOutput(content="two files", shown=TABLE))
    assert result.to_pandas()["file"].tolist() == ["a.ts", "b.ts"]
    assert result.to_markdown().splitlines() == [
        "| file | lines |",
        "| --- | --- |",
        "| a.ts | 3 |",
        "| b.ts |  |",
    ]


def test_output_that_is_no_table_says_so():
    result = ToolResult(tool="t", output=TextOutput(content="a sentence"))
    with pytest.raises(ProjectError, match="no DataFrame of it"):
        result.to_pandas()
    with pytest.raises(ProjectError, match="no Markdown of it"):
        result.to_markdown()


def test_failure_is_neither_frame_nor_markdown_and_says_what_went_wrong():
    with pytest.raises(ProjectError, match=r"no DataFrame of it: Error \(file\): No such file"):
        failed().to_pandas()
    with pytest.raises(ProjectError, match=r"no Markdown of it: Error \(file\): No such file"):
        failed().to_markdown()


def test_failure_is_read_with_its_suggestion():
    assert str(failed()) == "Error (file): No such file."
    told = failed(suggestion="Look with glob.").text()
    assert told == "Error (file): No such file.\nSuggestion: Look with glob."


def test_result_is_plain_data():
    good = ToolResult(tool="t", output=Counts(counted=(Counted(file_name="a", lines=1),)))
    assert good.success
    assert good.text() == "1 files"
    assert good.to_dict() == {
        "success": True,
        "output": {"counted": [{"fileName": "a", "lines": 1}]},
    }
    text = ToolResult(tool="t", output=TextOutput(content="said"))
    assert text.to_dict() == {"success": True, "output": "said"}
    assert ToolResult(tool="t").to_dict() == {"success": True, "output": None}
    assert ToolResult(tool="t").text() == ""
    assert not failed().success
    assert failed().to_dict() == {
        "success": False,
        "error": {"type": "file", "message": "No such file.", "recoverable": True},
    }


def test_failure_of_the_store_is_none_that_the_model_can_mend():
    failure = ToolFailure.of(StorageError("Redis has gone."))
    assert (failure.type, failure.message, failure.recoverable) == (
        "storage",
        "Redis has gone.",
        False,
    )


def test_table_without_pandas_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)  # what Python does for "not installed"
    with pytest.raises(ProjectError, match="%pip install pandas"):
        TABLE.to_pandas()


@pytest.mark.parametrize("said", ["red \x1b[31m", "back\r", "\u202eevil", "title \x1b]0;a\x07"])
def test_printed_result_cannot_draw_on_the_terminal_and_the_model_reads_it_as_it_is(said):
    result = ToolResult(tool="get_lines", output=TextOutput(content=said))
    assert result.text() == said
    shown = str(result)
    assert "[U+" in shown
    assert not set(shown) & set("\x1b\r\u202e\x07")
    failure = ToolFailure(type="file", message=said)
    assert "[U+" in str(ToolResult(tool="get_lines", error=failure))
