"""No tool reads or writes outside of the project, by any of its parameters."""

import unicodedata

import pytest

from ipuaro_jupyter.tools import load_tools

SECRET = "export const TOPSECRET = 1\n"
PATHS = {"path", "filepath", "directory", "cwd", "files"}
OTHERS = {
    "content": "x\n",
    "target": "TOPSECRET",
    "patch": "x",
    "message": "x",
    "command": "ls",
    "name": "TOPSECRET",
    "place": "after",
    "symbol": "TOPSECRET",
    "pattern": "TOPSECRET",
    "cell": 1,
    "after": 0,
    "start": 1,
    "end": 1,
}
HOSTILE = (
    *("../outside", "../outside/secret.ts", "OUTSIDE/secret.ts", "OUTSIDE", "/etc/passwd", ".."),
    *("link", "link/secret.ts", "src/link/secret.ts", "src/../link/../outside/secret.ts"),
    *("file.ts", "né/secret.ts", "link/new/x.ts", "dangling.ts", "~/secret.ts", "C:\\secret.ts"),
)
TOOLS = [
    (tool.name, name)
    for tool in load_tools()
    for name in sorted(PATHS & tool.schema.parameters["properties"].keys())
]


def arguments(tool, name, value):
    """Return arguments of which all but one are in order."""
    (schema,) = [each.schema for each in load_tools() if each.name == tool]
    required = set(schema.parameters.get("required", ())) - {name}
    given = {each: OTHERS.get(each, "src/a.ts") for each in required}
    is_list = schema.parameters["properties"][name].get("type") == "array"
    return {**given, name: [value] if is_list else value}


@pytest.mark.parametrize(("tool", "name"), TOOLS)
def test_a_path_out_of_the_project_is_refused(make_project, open_assistant, tool, name, tmp_path):
    root = make_project({"src/a.ts": "export const a = 1\n"})
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.ts").write_text(SECRET)
    links = {"link": outside, "src/link": outside, "file.ts": outside / "secret.ts"}
    links |= {unicodedata.normalize("NFD", "né"): outside, "dangling.ts": outside / "new.ts"}
    for link, target in links.items():
        (root / link).symlink_to(target)
    assistant = open_assistant(root, [], settings={"approve": "all"})
    for path in HOSTILE:
        result = assistant.call(tool, arguments(tool, name, path.replace("OUTSIDE", str(outside))))
        assert result.error is not None, path
        assert (result.error.type, result.error.recoverable) == ("file", False), (path, result)
        assert "TOPSECRET" not in result.text().replace("'TOPSECRET'", "")
    assert [(place.name, place.read_text()) for place in outside.iterdir()] == [
        ("secret.ts", SECRET)
    ]
    assert (root / "src/a.ts").read_text() == "export const a = 1\n"
