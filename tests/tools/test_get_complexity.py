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
    assert call("get_complexity", {"path": "none"}).error.type == "file"
