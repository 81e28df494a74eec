FILES = {
    "src/a.ts": "// TODO(ann): wire it\nexport const a = 'TODO: no'\n/* HACK: rounding */\n",
    "ci/pipe.yml": "# FIXME cache deps\njob: 1\n",
}


def test_markers_are_found_in_comments_only(run):
    result = run(FILES)("get_todos", {})
    found = [(t.path, t.line, t.type, t.text) for t in result.output.todos]
    assert found == [
        ("ci/pipe.yml", 1, "FIXME", "cache deps"),
        ("src/a.ts", 1, "TODO", "wire it"),
        ("src/a.ts", 3, "HACK", "rounding"),
    ]
    assert result.output.todos[1].context == "// TODO(ann): wire it"
    assert result.to_dict()["output"]["summary"]["byType"] == {"TODO": 1, "FIXME": 1, "HACK": 1}


def test_type_is_case_insensitive_and_checked(run):
    call = run(FILES)
    assert [t.type for t in call("get_todos", {"type": "hack"}).output.todos] == ["HACK"]
    assert "FIXME" in call("get_todos", {"type": "later"}).error.suggestion
    assert call("get_todos", {"path": "none"}).error.type == "file"
