FILES = {
    "src/auth/gate.ts": "1\n",
    "src/auth/kinds.ts": "1\n",
    "src/svc/user.ts": "1\n",
    "src/index.ts": "1\n",
    "logo.png": b"\x89PNG\0",
    "node_modules/dep/i.js": "1\n",
    "src/gen/out.ts": "1\n",
    ".gitignore": "gen/\n",
}


def test_the_tree_has_folders_first_and_counts_without_its_root(run):
    assert run(FILES)("get_structure", {"path": "src"}).text() == (
        "src/\n"
        "├── 📁 auth/\n"
        "│   ├── 📄 gate.ts\n"
        "│   └── 📄 kinds.ts\n"
        "├── 📁 svc/\n"
        "│   └── 📄 user.ts\n"
        "└── 📄 index.ts\n"
        "\n"
        "Stats: 2 directories, 4 files"
    )


def test_depth_limits_the_levels(run):
    text = run(FILES)("get_structure", {"path": "src", "depth": 1}).text()
    assert "auth/" in text
    assert "gate.ts" not in text


def test_ignored_and_binary_files_are_left_out(run):
    text = run(FILES)("get_structure", {}).text()
    assert "src/" in text
    assert not any(word in text for word in ("node_modules", "out.ts", "logo.png"))


def test_a_file_and_a_missing_folder_are_errors(run):
    call = run(FILES)
    assert call("get_structure", {"path": "src/index.ts"}).error.type == "file"
    assert call("get_structure", {"path": "src/none"}).error.type == "file"
    assert call("get_structure", {"depth": 0}).error.type == "validation"


def test_a_file_is_binary_by_what_it_holds(run):
    files = {"stream.ts": b"\x47\0\x11", "latin.txt": b"caf\xe9\n", "a.ts": "1\n"}
    text = run(files)("get_structure", {}).text()
    assert "stream.ts" not in text
    assert "latin.txt" in text
    assert text.endswith("2 files")


def test_a_file_that_has_become_binary_is_left_out(run, tmp_path):
    call = run({"a.ts": "1\n", "b.ts": "2\n"})
    assert "a.ts" in call("get_structure", {}).text()
    (tmp_path / "project/a.ts").write_bytes(b"\0" * 10)
    assert "a.ts" not in call("get_structure", {}).text()


def test_what_belongs_to_git_is_not_looked_into(run):
    result = run({".git/config": "", "a.ts": "1\n"})("get_structure", {"path": ".git"})
    assert result.error.type == "validation"
    assert "git_status" in result.error.suggestion
