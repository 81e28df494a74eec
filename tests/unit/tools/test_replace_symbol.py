import pytest
from annotated import project_files

SOURCES = project_files("replace_symbol")
TS = SOURCES["a.ts"]
PY = SOURCES["a.py"]


@pytest.fixture
def replace(run, tmp_path):
    """Replace a declaration of a.ts or a.py; return the result and the new text."""

    def replace_it(path, name, content):
        call = run({"a.ts": TS, "a.py": PY, "a.json": "{}", "a.ipynb": "{}"}, auto_apply=True)
        result = call("replace_symbol", {"path": path, "name": name, "content": content})
        return result, (tmp_path / "project" / path).read_text()

    return replace_it


@pytest.mark.parametrize(
    ("name", "content", "old", "new"),
    [
        (
            "total",
            "/** New. */\nexport const total = () => 0;",
            "/** Adds up. */\nexport const total = (kg: number) => {\n  return kg * 2\n}\n",
            "/** New. */\nexport const total = () => 0;\n",
        ),
        (
            "total",
            "const total = () => 0",
            "export const total = (kg: number) => {\n  return kg * 2\n}\n",
            "export const total = () => 0\n",
        ),
        (
            "main",
            "function main(): void {}",
            "export default function main(): void {\n  log(1)\n}\n",
            "export default function main(): void {}\n",
        ),
        (
            "main",
            "// none\nasync function main() {}",
            "// eslint-disable-next-line\nexport default function main(): void {\n  log(1)\n}\n",
            "// none\nexport default async function main() {}\n",
        ),
        (
            "Till.open",
            "open(): void {}",
            "  open(day: unknown): void {\n    log(day)\n  }\n",
            "  open(): void {}\n",
        ),
        (
            "Shop.open",
            "open() {\n  return 2\n}",
            "  open() {\n    return 1\n  }\n",
            "  open() {\n    return 2\n  }\n",
        ),
        (
            "Shop.open",
            "open() {\n    return 2\n  }",
            "  open() {\n    return 1\n  }\n",
            "  open() {\n    return 2\n  }\n",
        ),
        ("name", "name = 'b'", '  name = "a"\n', "  name = 'b'\n"),
        ("api.get", "get() {\n  return 1\n}", "  get(id) {\n    return id\n  },\n", None),
        ("api.put", "put: () => 2", "  put: () => 1,\n", "  put: () => 2,\n"),
        ("day", "```ts\nprivate day = 2\n```", "private day = 1", "private day = 2"),
    ],
)
def test_a_declaration_of_typescript_is_replaced(replace, name, content, old, new):
    result, text = replace("a.ts", name, content)
    assert result.success, result.text()
    new = "  get() {\n    return 1\n  },\n" if new is None else new
    assert old in TS
    assert text == TS.replace(old, new)


def test_a_class_is_replaced_with_its_decorators(replace):
    result, text = replace("a.ts", "Till", "@Other()\nexport class Till {}")
    assert result.success
    assert "\n@Other()\nexport class Till {}\n\nexport class Shop {" in text
    assert "Injectable" not in text


def test_decorators_and_export_stay_where_the_content_has_none(replace):
    result, text = replace("a.ts", "Till", "class Till {}")
    assert '\n@Injectable({\n  in: "root",\n})\nexport class Till {}\n\nexport class Shop' in text
    assert 'Kept, because the content has none: the decorators, "export".' in result.text()


@pytest.mark.parametrize(
    ("name", "content", "old", "new"),
    [
        ("total", "def total():\n    return 0", "def total(kg):\n    return kg * 2\n", None),
        (
            "total",
            "# New.\n@cached\ndef total():\n    return 0",
            "# Adds up.\n@cached\n@other(\n    1\n)\ndef total(kg):\n    return kg * 2\n",
            "# New.\n@cached\ndef total():\n    return 0\n",
        ),
        (
            "total",
            "# New.\ndef total():\n    return 0",
            "# Adds up.\n@cached\n@other(\n    1\n)\ndef total(kg):\n    return kg * 2\n",
            "# New.\n@cached\n@other(\n    1\n)\ndef total():\n    return 0\n",
        ),
        (
            "Till.open",
            'def open(self):\n    """New."""\n    return 1',
            '    def open(self, day):\n        """Open it."""\n        return day\n',
            '    def open(self):\n        """New."""\n        return 1\n',
        ),
        (
            "Till.open",
            "def open(self):\n        return 1",
            '    def open(self, day):\n        """Open it."""\n        return day\n',
            "    def open(self):\n        return 1\n",
        ),
        (
            "Till.sell",
            "    def sell(self, a):\n        return 0",
            "    def sell(self, a):\n        return a\n",
            "    def sell(self, a):\n        return 0\n",
        ),
        ("LIMIT", "LIMIT = 20", "LIMIT = 10", "LIMIT = 20"),
        ("Till.day", "day = 2", "    day = 1", "    day = 2"),
    ],
)
def test_a_declaration_of_python_is_replaced(replace, name, content, old, new):
    result, text = replace("a.py", name, content)
    assert result.success, result.text()
    new = "def total():\n    return 0\n" if new is None else new
    assert old in PY
    assert text == PY.replace(old, new)


@pytest.mark.parametrize(
    ("path", "name", "told"),
    [
        ("a.ts", "open", "may mean 2 declarations of a.ts: Till.open (lines 24-28), Shop.open"),
        ("a.ts", "Till.kg", "Till.kg (line 30), Till.kg (line 31)"),
        ("a.py", "kg", "may mean 2 declarations"),
        ("a.ts", "one", "one (line 14 of a.ts) is declared together with other names"),
        ("a.ts", "three", "is declared together with other names"),
        ("a.py", "b", "is declared together with other names"),
        ("a.ts", "Inner", "is a part of a larger statement"),
        ("a.ts", "late", "shares its lines with other code"),
        ("a.ts", "Till.opn", "It declares: Till.open, "),
        ("a.json", "a", "in a language whose declarations are not known"),
        ("a.ipynb", "a", "not edited by names"),
    ],
)
def test_what_is_no_single_declaration_is_refused_with_the_places(replace, path, name, told):
    result, text = replace(path, name, "x")
    assert told in result.text()
    assert not result.success
    assert text == {"a.ts": TS, "a.py": PY}.get(path, "{}")


def test_an_empty_content_is_refused_with_the_lines(replace):
    result, _ = replace("a.ts", "total", " \n")
    assert "delete lines 4-7 with edit_lines" in result.text()


def test_another_name_is_told(replace):
    result, _ = replace("a.py", "LIMIT", "LIMITS = 1")
    assert result.success
    assert "no longer declares LIMIT." in result.text()


def test_an_export_that_does_not_fit_is_left_out(replace):
    result, text = replace("a.ts", "main", "const main = () => 1")
    assert result.success
    assert "\nconst main = () => 1\n" in text
    assert "syntax" not in result.text()


def test_a_syntax_error_is_told(replace):
    result, _ = replace("a.ts", "Shop.open", "open() {")
    assert "syntax error in line" in result.text()


def test_lines_of_a_template_keep_their_text(replace):
    _, text = replace("a.ts", "Shop.open", "open() {\n  return `a\nb`\n}")
    assert "  open() {\n    return `a\nb`\n  }\n" in text


def test_a_licence_at_the_top_is_no_comment_of_the_first_declaration(run, tmp_path):
    source = "// Copyright 2020\n// All rights reserved\nfunction f() {}\n"
    call = run({"a.js": source}, auto_apply=True)
    content = "/**\n * New.\n */\nfunction f() {\n}"
    call("replace_symbol", {"path": "a.js", "name": "f", "content": content})
    text = (tmp_path / "project/a.js").read_text()
    assert text.startswith("// Copyright 2020\n")
    assert text.endswith(f"{content}\n")


def test_a_block_comment_above_is_replaced_as_a_whole(run, tmp_path):
    source = "f()\n/**\n * Old.\n */\nfunction g() {}\n"
    call = run({"a.js": source}, auto_apply=True)
    call("replace_symbol", {"path": "a.js", "name": "g", "content": "// New.\nfunction g() {}"})
    assert (tmp_path / "project/a.js").read_text() == "f()\n// New.\nfunction g() {}\n"


PRIVATE = SOURCES["c.ts"]


@pytest.mark.parametrize(
    ("name", "content", "old"),
    [
        ("C.items", "*items() {\n  yield 2\n}", "yield 1"),
        ("C.#helper", "#helper() {\n  return 2\n}", "return 1"),
    ],
)
def test_a_generator_and_a_private_method_are_no_comments(run, tmp_path, name, content, old):
    call = run({"c.ts": PRIVATE}, auto_apply=True)
    call("replace_symbol", {"path": "c.ts", "name": name, "content": content})
    new = PRIVATE.replace(old, old.replace("1", "2"))
    assert (tmp_path / "project/c.ts").read_text() == new


def test_line_ends_and_missing_final_newline_stay(run, tmp_path):
    call = run({"a.js": "let a\r\nfunction f() {\r\n}"}, auto_apply=True)
    call("replace_symbol", {"path": "a.js", "name": "f", "content": "function f() {\n  g()\n}\n"})
    data = (tmp_path / "project/a.js").read_bytes()
    assert data == b"let a\r\nfunction f() {\r\n  g()\r\n}"


@pytest.mark.parametrize(
    ("path", "name", "content", "old"),
    [
        (
            "a.ts",
            "Till.open",
            "open(day: string): void\nopen(day: unknown): void {}",
            TS[TS.index("  open(day: string)") : TS.index("\n  get kg")],
        ),
        (
            "a.py",
            "Till.sell",
            "@overload\ndef sell(self, a: int) -> int: ...\ndef sell(self, a):\n    return 0",
            PY[PY.index("    @overload") : PY.index("\n\na, b")],
        ),
    ],
)
def test_overloads_are_replaced_by_overloads(replace, path, name, content, old):
    result, text = replace(path, name, content)
    source, indent = (TS, "  ") if path == "a.ts" else (PY, "    ")
    new = "".join(f"{indent}{line}\n" for line in content.split("\n"))
    assert old in source
    assert text == source.replace(old, new)
    assert "the other overloads" not in result.text()


def test_other_overloads_stay_where_the_content_has_none(replace):
    result, _ = replace("a.ts", "Till.open", "open(): void {}")
    assert "Kept, because the content has none: the other overloads." in result.text()


def test_the_first_declaration_behind_a_byte_order_mark_is_replaced(run, tmp_path):
    call = run({"b.py": "\ufeffdef key():\n    return 1\n"}, auto_apply=True)
    told = call("replace_symbol", {"path": "b.py", "name": "key", "content": "def key(): ..."})
    assert told.success, told.text()
    assert (tmp_path / "project/b.py").read_bytes() == b"\xef\xbb\xbfdef key(): ...\n"
