"""What a mention attaches is of the project, and hides secrets, however it is written."""

import random

import pytest
from git_repository import Git

from ipuaro_jupyter import ScriptedModel

OUTSIDE = "DIARY-OF-SOMEBODY"
LINES = [f"MIIEowIBAAKCAQEAq1Zr8Jb7v5v3X4Yw2N1fQ9uT6kLmPz0aBcDeFgHiJk{n:06}" for n in range(8)]
KEY = "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *LINES, "-----END RSA PRIVATE KEY-----", ""])
PASSWORD, OTHER, WORD = "hT7vQ2mK9x", "pL4wR8nZ3c", "correcthorse"
FILES = {
    ".env": f"PORT=8080\nDB_PASSWORD={WORD}\nAPI_PASS={PASSWORD}\n",
    ".pgpass": f"db:5432:app:app:{WORD}\n",
    "deploy/id_rsa": KEY,
    "src/db.py": f'def connect():\n    password = "{PASSWORD}"\n    return password\n\n\n'
    f'class Settings:\n    db_password = (\n        "{PASSWORD}"\n    )\n',
    "config.yml": f"db:\n  password: |\n    {PASSWORD}\n  user: app\n",
    "secret.yml": f"kind: Secret\nstringData:\n  db: {WORD}\n",
    "call.sh": f"curl \\\n  -u \\\n  app:{PASSWORD} \\\n  https://api.internal\n",
}
SECRETS = (PASSWORD, OTHER, WORD, *LINES)
HELD = [
    *(f"@{path}" for path in FILES),
    *("@.env:2", "@.env:2-3", "@.pgpass:1", "@deploy/id_rsa:4", "@deploy/id_rsa:3-5"),
    *("@src/db.py:2", "@src/db.py:8", "@config.yml:3", "@secret.yml:3", "@call.sh:3"),
    *("@connect", "@Settings", "@Settings.db_password", "@diff", '@".env"', "@./.env", "@id_rsa"),
]
LED_OUT = [
    *("@link/diary.txt", "@link", "@link/", "@diary.txt", "@../outside/diary.txt", "@diary"),
    *('@"link/diary.txt"', "@src/../link/diary.txt", "@{root}/diary.txt", "@{outside}/diary.txt"),
    *('@"{outside}/diary.txt"', "@file://{outside}/diary.txt", "@link/diary.txt:1", "@~/diary.txt"),
    *("@.git/linked", "@src/./../link/diary.txt:1-9", "@link\\diary.txt", "@src/link.py"),
]


@pytest.fixture
def sent(make_project, tmp_path, open_assistant):
    """Give a function that asks about something, and says what the model has read."""
    root, outside = make_project(FILES), tmp_path / "outside"
    outside.mkdir()
    (outside / "diary.txt").write_text(f"{OUTSIDE}\n")
    git = Git(root)
    git.begin()
    git("add", "-A")
    git("commit", "-qm", "first")
    git.write("src/db.py", FILES["src/db.py"].replace(PASSWORD, OTHER))
    (root / "link").symlink_to(outside)
    for place in ("diary.txt", "src/link.py", ".git/linked"):
        (root / place).symlink_to(outside / "diary.txt")
    model = ScriptedModel(["Done."] * 3)
    assistant = open_assistant(root, model, confirm=lambda _: False, new=True)

    def ask(question):
        assistant.ask(question.format(root=root, outside=outside))
        return "\n".join(m.content for m in model.requests[-1].messages)

    return ask


@pytest.mark.parametrize("mention", HELD)
def test_a_mention_shows_no_secret(sent, mention):
    read = sent(f"What does {mention} say?")
    assert [secret for secret in SECRETS if secret in read] == []
    assert "[redacted:" in read


@pytest.mark.parametrize("mention", LED_OUT)
def test_a_mention_attaches_nothing_from_outside(sent, mention):
    assert OUTSIDE not in sent(f"What does {mention} say?")


def test_many_mentions_in_any_order_show_no_secret(sent):
    source = random.Random(7)
    for _ in range(3):
        chosen = source.choices([*HELD, *LED_OUT], k=12)
        read = sent(" ".join(chosen))
        assert [secret for secret in (*SECRETS, OUTSIDE) if secret in read] == [], chosen


def test_another_repository_is_not_the_diff(sent, tmp_path):
    other = Git(tmp_path / "outside")
    other.begin()
    other("add", "-A")
    other("commit", "-qm", "first")
    other.write("diary.txt", f"more of {OUTSIDE}\n")
    Git(tmp_path / "project")("config", "core.worktree", str(other.root))
    assert OUTSIDE not in sent("What does @diff say?")
