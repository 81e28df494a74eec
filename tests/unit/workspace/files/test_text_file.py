"""Text files keep all that an edit does not name."""

import codecs
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.workspace.files.text_file import TextFile, content_hash, encoded, sniff

LF = b"one\ntwo\nthree\n"


def text_file(data):
    return TextFile.of("a.ts", data, 0o100644)


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", ()),
        (b"\n", ("",)),
        (b"a", ("a",)),
        (b"a\n", ("a",)),
        (b"a\n\n", ("a", "")),
        (b"a\r\nb", ("a", "b")),
        (b"a\rb\n", ("a\rb",)),
        (b"a\r\r\n", ("a\r",)),
        (b"a\r", ("a\r",)),
        (
            "a\x0bb\x0cc\x1cd\u0085e\u2028f\u2029g\n".encode(),
            ("a\x0bb\x0cc\x1cd\u0085e\u2028f\u2029g",),
        ),
        (codecs.BOM_UTF8 + b"a\n", ("a",)),
        (codecs.BOM_UTF8, ()),
    ],
)
def test_lines_end_with_newline_or_return_and_newline_only(data, lines):
    assert text_file(data).lines == lines


@pytest.mark.parametrize(
    ("data", "newline"),
    [
        (b"", "\n"),
        (b"a", "\n"),
        (b"a\nb\n", "\n"),
        (b"a\r\nb\r\n", "\r\n"),
        (b"a\r\nb\r\nc\n", "\r\n"),
        (b"a\nb\nc\r\n", "\n"),
        (b"a\r\nb\n", "\r\n"),
        (b"a\nb\r\n", "\n"),
    ],
)
def test_the_line_end_is_that_of_most_lines(data, newline):
    assert text_file(data).newline == newline


def test_a_byte_order_mark_is_no_text():
    file = text_file(codecs.BOM_UTF8 + b"a\n")
    assert (file.text, file.bom, file.encoding) == ("a\n", codecs.BOM_UTF8, "utf-8-sig")
    assert text_file(b"a\n").encoding == "utf-8"


def test_the_hash_is_of_all_bytes():
    data = codecs.BOM_UTF8 + b"a\r\n"
    assert text_file(data).hash == content_hash(data)
    assert content_hash(data) == hashlib.blake2b(data, digest_size=16).hexdigest()


def test_the_mode_is_the_permission_bits_alone():
    assert text_file(b"").mode == 0o644


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"a\0b", "binary"),
        (b"x" * 8000 + b"\0", "binary"),
        (b"caf\xe9\n", "not UTF-8"),
        (b"\xc3", "not UTF-8"),
        (b"\xed\xa0\x80", "not UTF-8"),
        ("a\n".encode("utf-16"), "UTF-16"),
        (codecs.BOM_UTF16_BE + "中".encode("utf-16-be"), "UTF-16"),
        ("a\n".encode("utf-32"), "UTF-32"),
    ],
)
def test_what_is_no_utf8_text_is_refused_and_named(data, reason):
    with pytest.raises(ToolError, match=reason) as caught:
        TextFile.of("a.txt", data, 0o644)
    assert caught.value.type == "file"
    assert "UTF-8" in caught.value.message
    assert reason in sniff(data)


def test_source_code_may_hold_a_nul_but_then_it_has_to_be_utf8():
    code = b"const separator = '\0'\n" + b"x = 1\n" * 200
    assert sniff(code, "a.ts") is None
    assert "binary" in sniff(code, "a.bin")
    assert "binary" in sniff(code + b"// caf\xe9\n", "a.ts")


@pytest.mark.parametrize("data", [b"", b"a", "é中😀\n".encode(), b"x" * 9000 + b"\0", b"\x1b[0m"])
def test_utf8_text_is_text(data):
    assert sniff(data) is None


@pytest.mark.parametrize(
    ("start", "end", "content", "after"),
    [
        (2, 2, "TWO", b"one\nTWO\nthree\n"),
        (2, 2, "TWO\n", b"one\nTWO\nthree\n"),
        (2, 2, "TWO\r\n", b"one\nTWO\nthree\n"),
        (2, 2, "2a\n2b", b"one\n2a\n2b\nthree\n"),
        (1, 3, "all", b"all\n"),
        (2, 3, "", b"one\n"),
        (1, 3, "", b""),
        (2, 2, "\n", b"one\n\nthree\n"),
        (2, 2, "\n\n", b"one\n\n\nthree\n"),
        (1, 0, "zero", b"zero\none\ntwo\nthree\n"),
        (3, 2, "2.5", b"one\ntwo\n2.5\nthree\n"),
        (4, 3, "four", b"one\ntwo\nthree\nfour\n"),
        (4, 3, "", LF),
        (2, 2, "a\rb\u2028c", "one\na\rb\u2028c\nthree\n".encode()),
    ],
)
def test_lines_are_replaced(start, end, content, after):
    assert text_file(LF).replaced(start, end, content) == after


@pytest.mark.parametrize(
    ("start", "end"),
    [(0, 0), (0, 1), (-1, 2), (1, 4), (1, 9999), (4, 4), (5, 4), (3, 1), (2, 0), (1, -1)],
)
def test_a_range_that_is_not_in_the_file_is_refused(start, end):
    with pytest.raises(ToolError, match=rf"Invalid line range {start}-{end}.*3 lines") as caught:
        text_file(LF).replaced(start, end, "x")
    assert caught.value.type == "validation"
    assert caught.value.recoverable


@pytest.mark.parametrize(
    ("before", "start", "end", "content", "after"),
    [
        (b"a\nb", 2, 2, "B", b"a\nB"),
        (b"a\nb", 2, 2, "B\n", b"a\nB"),
        (b"a\nb", 1, 1, "A", b"A\nb"),
        (b"a\nb", 3, 2, "c", b"a\nb\nc"),
        (b"a\nb", 2, 2, "", b"a"),
        (b"a", 1, 1, "", b""),
        (b"a\nb\r", 1, 1, "A", b"A\nb\r"),
        (b"a\r\nb", 3, 2, "c\nd", b"a\r\nb\r\nc\r\nd"),
    ],
)
def test_a_missing_final_newline_stays_missing(before, start, end, content, after):
    assert text_file(before).replaced(start, end, content) == after


def test_text_for_an_empty_file_gets_a_final_newline():
    assert text_file(b"").replaced(1, 0, "a") == b"a\n"
    assert text_file(codecs.BOM_UTF8).replaced(1, 0, "a") == codecs.BOM_UTF8 + b"a\n"


@pytest.mark.parametrize("content", ["2a\n2b", "2a\r\n2b", "2a\n2b\r\n"])
def test_new_lines_get_the_line_end_of_the_file(content):
    file = text_file(b"1\r\n2\r\n3\r\n")
    assert file.replaced(2, 2, content) == b"1\r\n2a\r\n2b\r\n3\r\n"


def test_untouched_lines_of_a_mixed_file_keep_their_line_ends():
    file = text_file(b"1\r\n2\n3\r\n4\n5\r\n")
    assert file.replaced(3, 3, "three\nmore") == b"1\r\n2\nthree\r\nmore\r\n4\n5\r\n"
    assert file.replaced(1, 5, "1\n2\nTHREE\n4\n5\n") == b"1\r\n2\nTHREE\r\n4\n5\r\n"
    assert file.replaced(1, 5, "ONE\n2\n3\n4\n\nFIVE") == b"ONE\r\n2\n3\r\n4\n\r\nFIVE\r\n"


@pytest.mark.parametrize(
    ("start", "end", "lines"),
    [(2000, 2000, []), (3000, 3001, ["x"] * 5), (3000, 3000, ["x"]), (2000, 3006, []), (9, 9, [])],
)
def test_in_a_long_monotonous_file_untouched_lines_keep_their_ends(start, end, lines):
    """Lines are replaced near both ends and some are put in or taken out in one place."""
    old = [b"{\r\n" if n % 3 == 0 else b"}\r\n" if n % 7 else b"}\n" for n in range(6000)]
    new = [*old[:start], *(f"{line}\r\n".encode() for line in lines), *old[end:]]
    new[1000], new[-1000] = b"y\r\n", b"z\r\n"
    text = b"".join(new).decode().replace("\r\n", "\n")
    assert text_file(b"".join(old)).rewritten(text) == b"".join(new)


def test_the_byte_order_mark_stays_one():
    file = text_file(codecs.BOM_UTF8 + b"a\nb\n")
    assert file.replaced(1, 1, "A") == codecs.BOM_UTF8 + b"A\nb\n"
    assert file.replaced(1, 1, "\ufeffA") == codecs.BOM_UTF8 + b"A\nb\n"
    assert file.rewritten("\ufeffA\n") == codecs.BOM_UTF8 + b"A\n"


@pytest.mark.parametrize("content", ["a\0b", "half \ud83d of a pair"])
def test_content_that_is_no_text_is_a_validation_error(content):
    for write in (encoded, text_file(LF).rewritten, lambda c: text_file(LF).replaced(1, 1, c)):
        with pytest.raises(ToolError) as caught:
            write(content)
        assert caught.value.type == "validation"


def test_a_rewritten_file_keeps_line_ends_but_not_the_final_newline():
    file = text_file(b"1\r\n2\r\n3\r\n")
    assert file.rewritten("1\ntwo\n3\n") == b"1\r\ntwo\r\n3\r\n"
    assert file.rewritten("1\ntwo") == b"1\r\ntwo"
    assert file.rewritten("") == b""


texts = st.lists(
    st.sampled_from(["a", "b", "", "é", "\r", "\n", "\r\n", "\n", " ", "\u2028", "\x0b"]),
    max_size=14,
).map("".join)
files = st.builds(
    lambda bom, text: text_file((codecs.BOM_UTF8 if bom else b"") + text.encode()),
    st.booleans(),
    texts,
)


@st.composite
def edits(draw):
    file = draw(files)
    start = draw(st.integers(1, len(file.lines) + 1))
    return file, start, draw(st.integers(start - 1, len(file.lines)))


@given(edits())
def test_replacing_lines_by_themselves_changes_nothing(edit):
    file, start, end = edit
    content = "".join(f"{line}\n" for line in file.lines[start - 1 : end])
    if "\r\n" in content:  # a line that ends with a lone return cannot be said
        return
    assert file.replaced(start, end, content) == file.data


@given(edits(), texts)
def test_bytes_outside_of_the_range_never_change(edit, content):
    file, start, end = edit
    segments = file._segments
    head = file.bom + "".join(segments[: start - 1]).encode()
    tail = "".join(segments[end:]).encode()
    after = file.replaced(start, end, content)
    if end < len(segments):
        assert after.startswith(head)
    else:  # the file's last line may gain or lose its end
        assert (after + b"\r\n").startswith(head.rstrip(b"\r\n"))
    assert after.endswith(tail)
    assert len(after) >= len(head.rstrip(b"\r\n")) + len(tail)


@given(edits(), st.lists(st.sampled_from(["x", "", "y z"]), max_size=4))
def test_the_lines_are_what_was_asked_for(edit, new):
    file, start, end = edit
    after = text_file(file.replaced(start, end, "".join(f"{line}\n" for line in new)))
    wanted = (*file.lines[: start - 1], *new, *file.lines[end:])
    if file.text and not file.final_newline and wanted and wanted[-1] == "":
        wanted = wanted[:-1]  # an empty last line without an end is no line
    if not any(line.endswith("\r") for line in wanted):
        assert after.lines == wanted


@given(files)
def test_text_and_lines_say_the_same(file):
    assert file.bom + file.text.encode() == file.data
    assert len(file.lines) == file.text.count("\n") + bool(file.text and not file.final_newline)


@given(files, texts)
def test_a_rewritten_file_has_the_lines_of_the_text(file, text):
    after = text_file(file.rewritten(text))
    wanted = text_file(text.encode())
    if not any(line.endswith("\r") for line in wanted.lines):
        assert after.lines == wanted.lines
        assert after.final_newline == wanted.final_newline
