"""A project with a file, beside a folder with a secret."""

import pytest

SECRET = b"TOPSECRET"


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.ts").write_text("1\n")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_bytes(SECRET)
    return root
