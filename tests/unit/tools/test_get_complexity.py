from annotated import project_files

FILES = {
    "src/nest.ts": "export function f(xs: number[]) {\n  for (const x of xs) {\n"
    "    if (x > 0 && x < 9) {\n      return x\n    }\n  }\n  return 0\n}\n",
    "src/flat.ts": "export const a = 1\n",
    "lib/b.ts": "export const b = 2\n",
}


def test_files_are_sorted_and_summed_up(run):
    output = run(FILES)("get_complexity", {}).to_dict()["output"]
    first = output["files"][0]
    assert first["path"] == "src/nest.ts"
    assert (first["loc"], first["nestingDepth"], first["cyclomaticComplexity"]) == (8, 2, 4)
    assert first["score"] == 8 * 0.4 + 2 * 15 + 4 * 10
    assert output["summary"] == {
        "totalFiles": 3,
        "highComplexity": 1,
        "mediumComplexity": 0,
        "lowComplexity": 2,
        "averageScore": round((73.2 + 10.4 + 10.4) / 3, 2),
    }


def test_path_and_limit(run):
    call = run(FILES)
    assert [f.path for f in call("get_complexity", {"path": "lib"}).output.files] == ["lib/b.ts"]
    limited = call("get_complexity", {"limit": 1}).output
    assert len(limited.files) == 1
    assert limited.summary.total_files == 3
    assert limited.shape().note.startswith("The 1 most complex files (limit). Of all 3 files: ")
    assert [row[0] for row in limited.shape().more] == ["lib/b.ts", "src/flat.ts"]
    assert call("get_complexity", {}).output.shape().note.startswith("3 files: ")
    assert call("get_complexity", {}).output.shape().more == ()
    assert call("get_complexity", {"path": "none"}).error.type == "file"


STORE = project_files("get_complexity")["store.ts"]


def test_functions_are_told_beside_their_files_and_stay_out_of_what_the_model_gets(run):
    result = run({"src/store.ts": STORE})("get_complexity", {})
    told = [
        (f.name, f.line_start, f.line_end, f.nesting_depth, f.cyclomatic_complexity)
        for f in result.output.functions
    ]
    assert told == [
        ("Store.check", 3, 6, 2, 3),
        ("Store.field", 7, 7, 0, 2),
        ("Store.constructor", 2, 2, 0, 1),
        ("plain", 9, 9, 0, 1),
    ]
    assert set(result.to_dict()["output"]) == {"files", "summary", "notLookedAt"}
    assert "check" not in result.text()
    frame = result.output.functions_to_pandas()
    assert list(frame.columns) == [
        *("path", "name", "line_start", "line_end", "nesting_depth", "cyclomatic_complexity")
    ]
    assert len(frame) == 4


def test_the_table_has_the_source_of_the_most_complex_functions(run):
    long = "export function long(x) {\n" + "  if (x) x()\n" * 90 + "}\n"
    bom = b"\xef\xbb\xbf" + STORE.replace("\n", "\r\n").encode()
    files = {"long.ts": long, "store.ts": bom, "none.ts": "export const a = 1"}
    shape = run(files)("get_complexity", {}).output.shape()
    code = dict(zip([row[0] for row in shape.rows], shape.code, strict=True))
    (only,) = code["long.ts"]
    assert (only.start, len(only.lines)) == (1, 24)
    assert only.title == "long: nesting 1, cyclomatic 91, to line 92"
    assert [piece.title.partition(":")[0] for piece in code["store.ts"]] == [
        *("Store.check", "Store.field", "Store.constructor")
    ]
    assert code["store.ts"][0].lines[0] == "  check(x: number) {"
    assert code["store.ts"][0].language == "ts"
    assert code["none.ts"] == ()


def test_functions_of_many_files_are_bounded(run):
    files = {f"f{n:03}.ts": "export function f() { return 1 }" for n in range(130)}
    output = run(files)("get_complexity", {"limit": 130}).output
    assert len(output.files) == 130
    assert len(output.functions) == 100
    assert sum(bool(found.source) for found in output.functions) == 20


def test_the_functions_of_a_notebook_are_told_without_lines_of_its_cells(run):
    notebook = (
        '{"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": {"language": "python", '
        '"name": "p"}}, "cells": [{"cell_type": "code", "id": "a", "metadata": {}, "outputs": [],'
        ' "execution_count": null, "source": "def f():\\n    return 1"}]}'
    )
    output = run({"n.ipynb": notebook})("get_complexity", {}).output
    assert [(f.name, f.source) for f in output.functions] == [("f", ())]
