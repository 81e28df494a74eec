FILES = {
    "src/app.ts": "import { a } from './a'\nimport b from './lib'\nimport fs from 'node:fs'\n"
    "import { gone } from './gone'\n",
    "src/a.ts": "export const a = 1\n",
    "src/lib/index.ts": "export default 1\n",
}


def test_files_are_listed_once_with_their_roles(run):
    result = run(FILES)("get_dependencies", {"path": "src/app.ts"})
    found = {d["path"]: d for d in result.to_dict()["output"]["dependencies"]}
    assert set(found) == {"src/a.ts", "src/lib/index.ts", "src/gone"}
    assert found["src/lib/index.ts"]["isEntryPoint"] is True
    assert found["src/gone"]["exists"] is False
    assert result.output.total_dependencies == 3
    assert "1. src/a.ts" in result.text()


def test_missing_and_unindexed_files_are_errors(run):
    call = run({**FILES, "notes.txt": "x\n"})
    assert call("get_dependencies", {"path": "src/none.ts"}).error.type == "file"
    assert call("get_dependencies", {"path": "notes.txt"}).error.type == "file"
