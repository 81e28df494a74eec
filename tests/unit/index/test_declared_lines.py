"""The lines that belong to a declaration; the tools that replace them have tests of their own."""

import pytest

from ipuaro_jupyter.index.declared_lines import Declarations


def first(path, text, name):
    (found,) = Declarations(path, text.encode()).named(name)
    return found


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("/** A. */\nexport const a = 1\n", (1, 2, 2, 2)),
        ("// b\n\n// a\n// more\nlet a\n", (3, 5, 5, 5)),
        ("b() // not of a\nlet a\n", (2, 2, 2, 2)),
        ("#!/usr/bin/env node\n// a\nlet a\n", (2, 3, 3, 3)),
        ("/*! Licence */\nlet a\n", (2, 2, 2, 2)),
        ("/* eslint-disable */\n/** A. */\nlet a\n", (2, 3, 3, 3)),
        ("const b = `\n/* no */`\nlet a\n", (3, 3, 3, 3)),
        ("/**\n * A.\n */\n@dec()\n@more({\n})\nexport class a {\n}\n", (1, 4, 7, 8)),
        ("export @dec class a {}\n", (1, 1, 1, 1)),
        ("exports.a = function () {\n}\n", (1, 1, 1, 2)),
        ("declare module 'a' {\n}\n", (1, 1, 1, 2)),
        ("namespace a {\n  let b\n}\n", (1, 1, 1, 3)),
        ("export declare function a(): void\nexport declare function a(b): void\n", (1, 1, 1, 2)),
    ],
)
def test_the_lines_of_a_declaration(text, lines):
    found = first("a.ts", text, "a")
    assert (found.comments, found.decorators, found.start, found.end) == lines
    assert found.problem == ""


@pytest.mark.parametrize(
    ("text", "export"),
    [
        ("export function a() {}", "export "),
        ("export default class a {}", "export default "),
        ("export declare const a: 1", "export declare "),
        ("@dec\nexport class a {}", "export "),
        ("const a = 1", ""),
    ],
)
def test_the_words_that_export_it(text, export):
    assert first("a.ts", text, "a").export == export


def test_names_come_in_the_order_of_the_file():
    text = "class B:\n    def c(self): pass\n\n\ndef a(): pass\n"
    assert Declarations("a.py", text.encode()).names == ["B", "B.c", "a"]


def test_a_byte_order_mark_and_windows_line_ends_count_as_elsewhere():
    found = first("a.ts", "\ufeff// a\r\nlet a = 1\r\nlet b = 2\r\n", "a")
    assert (found.comments, found.end) == (1, 2)


def test_a_file_that_is_not_analysed_says_why():
    minified = b"let a=1;" * 5000
    assert "minified" in Declarations("a.js", minified).problem
    assert Declarations("a.js", minified).named("a") == []
    assert "not known" in Declarations("a.css", b"a {}").problem
