def test_a_file_is_deleted_leaves_the_index_and_comes_back_by_undo(make_project, open_assistant):
    root = make_project({"old.ts": "export const o = 1\n", "new.ts": "export const n = 1\n"})
    assistant = open_assistant(root, [], confirm=lambda _: True)
    result = assistant.call("delete_file", {"path": "old.ts"})
    assert result.text() == "Deleted old.ts (19 bytes)."
    assert not (root / "old.ts").exists()
    assert assistant.call("find_definition", {"symbol": "o"}).output.definitions == ()
    assert assistant.undo().success
    assert (root / "old.ts").read_text() == "export const o = 1\n"
    assert assistant.call("find_definition", {"symbol": "o"}).output.definitions


def test_a_binary_file_is_deleted_and_restored_byte_exactly(make_project, open_assistant):
    root = make_project({"logo.png": b"\x89PNG\0\xff"})
    assistant = open_assistant(root, [], confirm=lambda _: True)
    assert assistant.call("delete_file", {"path": "logo.png"}).success
    assert assistant.undo().success
    assert (root / "logo.png").read_bytes() == b"\x89PNG\0\xff"


def test_denied_missing_and_folders(run, tmp_path):
    call = run({"src/a.ts": "1\n"}, confirm=lambda _: False)
    assert call("delete_file", {"path": "src/a.ts"}).error.type == "cancelled"
    assert (tmp_path / "project/src/a.ts").exists()
    assert call("delete_file", {"path": "src/no.ts"}).error.type == "file"
    assert call("delete_file", {"path": "src"}).error.type == "file"


def test_a_link_is_not_deleted_and_neither_is_what_it_leads_to(make_project, open_assistant):
    root = make_project({"src/a.ts": "1\n"})
    (root / "link.ts").symlink_to("src/a.ts")
    (root / "folder").symlink_to("src")
    assistant = open_assistant(root, [], confirm=lambda _: True)
    error = assistant.call("delete_file", {"path": "link.ts"}).error
    assert (error.type, error.recoverable) == ("file", True)
    assert "link.ts is a symlink to src/a.ts" in error.message
    assert (root / "src/a.ts").exists()
    assert assistant.call("delete_file", {"path": "folder/a.ts"}).success
    assert not (root / "src/a.ts").exists()
