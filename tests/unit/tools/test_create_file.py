def test_a_file_and_its_folders_are_created_and_indexed(run, tmp_path):
    call = run({"a.ts": "1\n"}, auto_apply=True)
    content = "export function mint() {}\n"
    assert call("create_file", {"path": "src/deep/new.ts", "content": content}).success
    assert (tmp_path / "project/src/deep/new.ts").read_text() == content
    found = call("find_definition", {"symbol": "mint"}).output.definitions
    assert [d.path for d in found] == ["src/deep/new.ts"]


def test_an_existing_file_is_an_error_before_the_question(run):
    asked = []
    call = run({"a.ts": "keep\n"}, confirm=lambda p: not asked.append(p))
    assert call("create_file", {"path": "a.ts", "content": "new\n"}).error.type == "file"
    assert not asked


def test_denied_leaves_no_folder(run, tmp_path):
    call = run({"a.ts": "1\n"}, confirm=lambda _: False)
    assert not call("create_file", {"path": "new/x.ts", "content": "x"}).success
    assert not (tmp_path / "project/new").exists()


def test_undo_takes_the_file_and_its_folders_away(tmp_path, make_project, open_assistant):
    assistant = open_assistant(make_project({"a.ts": "1\n"}), [], auto_apply=True)
    assistant.call("create_file", {"path": "new/x.ts", "content": "export const n = 1\n"})
    assert assistant.undo().success
    assert not (tmp_path / "project/new").exists()
    assert assistant.call("find_definition", {"symbol": "n"}).output.definitions == ()
