"""``%ipuaro impact`` in a real kernel."""

import subprocess

import pytest

FILES = {
    "src/fee.ts": "export function fee(n: number) {\n  return n * 2\n}\n",
    "src/use.ts": "import { fee } from './fee'\nfunction total() { return fee(1) }\ntotal()\n",
    "src/use.test.ts": "import './use'\n",
}


@pytest.fixture
def project(make_project):
    root = make_project(FILES)
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words]
        subprocess.run(git, cwd=root, check=True)
    return root


def test_the_impact_of_a_change_is_a_table_with_users_and_tests(started, project):
    file = project / "src/fee.ts"
    file.write_text(file.read_text().replace("n * 2", "n * 3"))
    text = started.run("%ipuaro impact").text
    assert "src/fee.ts:1" in text
    assert "total" in text
    assert "src/use.test.ts" in text
    assert "no revision 'nope'" in started.run("%ipuaro impact nope").text
    text = started.run("%ipuaro impact --symbol fee").text
    assert "a change of fee" in text
    assert "src/use.test.ts" in text
