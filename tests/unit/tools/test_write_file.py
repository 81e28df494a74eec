import pytest


@pytest.fixture
def root(tmp_path):
    return tmp_path / "project"


def test_a_file_is_written_with_its_folders(run, root):
    call = run({}, auto_apply=True)
    result = call("write_file", {"filepath": "a/b/c.ts", "content": "é\n"})
    assert result.text() == "Created a/b/c.ts (1 line)."
    assert (root / "a/b/c.ts").read_bytes() == "é\n".encode()


def test_an_empty_file_is_written(run, root):
    assert run({}, auto_apply=True)("write_file", {"filepath": "a.ts", "content": ""}).success
    assert (root / "a.ts").read_bytes() == b""


def test_a_file_that_exists_stays_and_the_other_tool_is_named(run, root):
    call = run({"a.ts": "keep\n"}, auto_apply=True)
    error = call("write_file", {"filepath": "a.ts", "content": "new"}).error
    assert error.type == "file"
    assert "update_file" in error.suggestion
    assert (root / "a.ts").read_text() == "keep\n"


def test_the_user_is_asked_and_nothing_happens_without(run, root):
    asked = []
    call = run({}, confirm=lambda proposal: bool(asked.append(proposal)))
    result = call("write_file", {"filepath": "src/a.ts", "content": "x\n"})
    assert result.error.type == "cancelled"
    assert not (root / "src").exists()
    (proposal,) = asked
    assert (proposal.kind, proposal.tool, proposal.path) == ("create", "write_file", "src/a.ts")
    assert (proposal.old_text, proposal.new_text) == (None, "x\n")


def test_the_index_knows_the_file_at_once(run):
    call = run({}, auto_apply=True)
    call("write_file", {"filepath": "a.ts", "content": "export function made() {}\n"})
    assert "a.ts:1" in call("find_definition", {"symbol": "made"}).text()


def test_undo_removes_the_file_and_its_folder(make_project, open_assistant):
    root = make_project({})
    assistant = open_assistant(root, [], auto_apply=True)
    assistant.call("write_file", {"filepath": "src/a.ts", "content": "x\n"})
    assert assistant.undo().success
    assert not (root / "src").exists()


@pytest.mark.parametrize("filepath", ["../a.ts", "/etc/a.ts", "~/a.ts"])
def test_outside_the_project_nothing_is_written(run, filepath):
    error = run({}, auto_apply=True)("write_file", {"filepath": filepath, "content": "x"}).error
    assert not error.recoverable


@pytest.mark.parametrize("filepath", [".git/hooks/pre-commit", ".", "a.ts/b.ts"])
def test_what_is_no_place_for_a_file_is_an_error(run, filepath):
    call = run({"a.ts": "x\n"}, auto_apply=True)
    assert call("write_file", {"filepath": filepath, "content": "x"}).error.type in {
        "file",
        "validation",
    }


def test_a_foreign_name_is_answered_with_the_signature(run):
    error = run({})("save_file", {"filepath": "a.ts", "content": "x"}).error
    assert "write_file(path, content)" in error.suggestion
