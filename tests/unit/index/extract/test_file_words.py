"""The words of files: what of a text counts, how often, and in which rows the index keeps them."""

import json
from array import array

import pytest

from ipuaro_jupyter.index.extract.batches import batch_of, decode_batch, unparsed_batch
from ipuaro_jupyter.index.extract.file_words import (
    COUNT_BITS,
    cells_of,
    counted,
    file_words,
    number_of,
    row_of,
    word_cells,
    words_by_row,
)

LICENCE = b"/* Licensed under the Harbour licence. */\n"


def counts_of(words):
    return {cell >> COUNT_BITS: counted(cell) for cell in array("I", words)}


def counts(text, path="a.ts"):
    return counts_of(file_words(path, text))


def test_words_of_names_comments_and_strings_are_counted_together():
    found = counts(b'retryCount = RETRY_LIMIT // Retries\nlog("retrying")\n')
    assert found[number_of("retri")] == 4
    assert found[number_of("count")] == found[number_of("limit")] == 1


@pytest.mark.parametrize(
    "text",
    [
        b"export function f(x) { return this } // of the 12",
        LICENCE,
        b"a" * 61,
        b"0x" + b"deadBeef" * 8,
        b"\xff \xe2\x94\x80",
    ],
)
def test_what_says_nothing_is_left_out(text):
    assert counts(text) == counts(b"")


def test_capitals_underscores_and_digits_make_no_other_word():
    assert counts(b"Harbour") == counts(b"harbour") == counts(b"HARBOUR") == counts(b"_harbour1")


def test_words_of_a_path_count_more_and_its_name_is_a_word():
    found = counts(b"", "ships/harbourMaster.ts")
    assert (
        found[number_of("harbour")]
        == found[number_of("ship")]
        == counts(b"ship " * 3)[number_of("ship")]
    )
    assert found[number_of("/harbourmaster")] == 1


def test_the_first_file_of_a_folder_is_found_by_the_folder_too():
    assert counts(b"", "ships/index.ts").keys() >= {number_of("/index"), number_of("/ships")}


def test_words_are_in_the_rows_of_all_files_that_have_them():
    files = {1: b"harbour ship", 0xFFFFFFFF: b"harbour harbour"}
    rows = words_by_row(word_cells(n, file_words("a.ts", text)) for n, text in files.items())
    number = number_of("harbour")
    cells = cells_of(number, rows[row_of(number)])
    assert {cell & 0xFFFFFFFF: counted(cell >> 32) for cell in cells} == {1: 1, 0xFFFFFFFF: 2}


def test_words_of_a_notebook_are_those_of_its_code():
    cell = {"cell_type": "code", "metadata": {}, "execution_count": 1, "source": "harbour = 1"}
    cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "a wreck"}]
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    found = batch_of([("a.ipynb", 1, json.dumps(notebook).encode())])
    words = counts_of(found.answers[0].words)
    assert number_of("harbour") in words
    assert number_of("wreck") not in words


def test_a_file_that_is_not_analysed_has_the_words_of_its_path():
    text = b"harbour = 1"
    sent = unparsed_batch("ships/a.ts", 1, text, reason="the parser died")
    binary = batch_of([("ships/a.ts", 1, b"\0" * 9 + text)])
    for found in (decode_batch(sent), binary):
        assert found.answers[0].words == file_words("ships/a.ts", b"")
        assert found.words == words_by_row([word_cells(1, found.answers[0].words)])
