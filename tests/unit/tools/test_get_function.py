from annotated import project_files

SOURCE = project_files("get_function")["store.ts"]


def test_documented_fields(run):
    output = run({"s.ts": SOURCE})("get_function", {"path": "s.ts", "name": "Store.find"}).to_dict()
    found = output["output"]
    assert found["lineStart"] == 4
    assert found["lineEnd"] == 6
    assert found["params"] == ["code"]
    assert found["isAsync"] is True
    assert found["returnType"] == "Promise<string | undefined>"
    assert "     5\t    return this.rows" in found["code"]


def test_a_bare_name_prefers_the_function_and_its_implementation(run):
    found = run({"s.ts": SOURCE})("get_function", {"path": "s.ts", "name": "find"}).output
    assert "return Number(x)" in found.code
    assert found.is_exported


def test_fields_that_hold_functions_and_nested_functions(run):
    call = run({"s.ts": SOURCE})
    field = call("get_function", {"path": "s.ts", "name": "Store.add"}).output
    assert (field.line_start, field.line_end) == (8, 10)
    nested = call("get_function", {"path": "s.ts", "name": "outer.inner"}).output
    assert nested.params == ("a", "rest")


def test_not_found_lists_what_there_is_the_closest_first(run):
    error = run({"s.ts": SOURCE})("get_function", {"path": "s.ts", "name": "iner"}).error
    assert error.recoverable
    assert error.suggestion.index("inner") < error.suggestion.index("Store.find")


def test_a_language_that_is_not_indexed_gives_the_whole_file(run):
    found = run({"notes.txt": "one\ntwo\n"})("get_function", {"path": "notes.txt", "name": "f"})
    assert (found.output.line_start, found.output.line_end) == (1, 2)
    assert "not indexed" in found.text()


def test_an_edit_moves_the_function_at_once(run):
    call = run({"s.ts": SOURCE}, auto_apply=True)
    call("edit_lines", {"path": "s.ts", "start": 1, "end": 0, "content": "// one\n// two"})
    assert call("get_function", {"path": "s.ts", "name": "Store.find"}).output.line_start == 6


def test_the_head_has_the_form_of_its_language(run):
    call = run(
        {
            "a.py": "class A(B):\n    def go(self, x: int = 1) -> int:\n        return x\n",
            "b.ts": "function go(x: number): number {\n  return x\n}\n",
        }
    )
    python = call("get_function", {"path": "a.py", "name": "go"}).text()
    assert python.startswith("a.py:2-3 go(self, x) -> int\n")
    script = call("get_function", {"path": "b.ts", "name": "go"}).text()
    assert script.startswith("b.ts:1-3 go(x): number\n")
    assert " class A(B)" in call("get_class", {"path": "a.py", "name": "A"}).text()
