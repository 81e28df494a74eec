"""Secrets in nearly 200 forms of files and commands are hidden, and nothing around them."""

import base64
import random
import re
import string
import time
import tomllib
from pathlib import Path

import pydantic
import pytest

from ipuaro_jupyter.agent.redaction import Redaction
from ipuaro_jupyter.agent.redaction.finder import secrets_in
from ipuaro_jupyter.agent.redaction.kubernetes import in_kubernetes

HIDE = Redaction(b"k" * 32)
CODES = re.compile(r"\x1b(?:\[[0-9;]*[A-Za-z]|\(B)")

FORMS = tomllib.loads((Path(__file__).parent / "secret_forms.toml").read_text())


def secret_of(kind: str, source: random.Random) -> str:
    """A random password, or key (K), or the name and password of a login in base64 (L)."""
    alphabet = string.ascii_letters + string.digits
    if kind == "L":
        login = f"{source.choice(['app', 'ci-bot', 'me@x.io'])}:{secret_of('', source)}"
        return base64.b64encode(login.encode()).decode()
    if kind == "K":
        body = "".join(source.choices(alphabet, k=30))
        return f"a{body[:10]}7{body[10:20]}Q{body[20:]}"
    body = "".join(source.choices(alphabet, k=source.randint(7, 14)))
    return f"{source.choice(string.ascii_letters)}{body}{source.choice('23456789')}x"


@pytest.mark.parametrize("form", FORMS)
def test_a_secret_in_the_form_of_a_file_is_hidden(form):
    mark, around = FORMS[form]
    kind, path = (mark, "") if mark in {"K", "L"} else ("", mark)
    source = random.Random(form)
    for _ in range(20):
        secrets = [secret_of(kind, source) for _ in range(around.count("§§"))]
        text = around
        for secret in secrets:
            text = text.replace("§§", secret, 1)
        hidden = HIDE.text(text, path)
        assert not [secret for secret in secrets if secret in hidden], (text, hidden)
        for word in re.findall(r"\w+", CODES.sub("", around)):
            assert word in hidden, (text, hidden)
        assert hidden.count("\n") == text.count("\n")
        assert HIDE.text(hidden, path) == hidden


WHOLE = [
    ("a: 'say \"x\" now'", "a: …"),
    ('a: "it\'s #1 of" # why', "a: …"),
    ('a: it\'s "so"', "a: …"),
    ("\"d.e\": 'it''s so'", '"d.e": …'),
    ('a: |\n  b: two\n  # three\n\n  say "four"\n  \'five\n  - seven\nb: pwd7', "…"),
    ("a: >- # folded\n  one: two\nb: !!binary |\n  b25lIHR3bw==", "…"),
    ('a:\n  one two\nb: "one\n  two: three"\nc: four', "…"),
    (f"a: {'c2Vj' * 10_000}\nb: pwd7", "a: …\nb: …"),
    ("a: one https://app:s3cr3tX9@x.io two", "a: …"),
    ("a: postgres\nb: for example\nc: /c2Vj", "a: …\nb: …\nc: …"),
    ("one two", "…"),
    ("a: {{ .Values.db }}\nb: ${DB}\nc: <db>\nd: ''\ne: '****'", None),
    ("# only: pwd7\n# as agreed\na: pwd7", "# only: …\n# as agreed\na: …"),
]


@pytest.mark.parametrize(("lines", "shown"), WHOLE)
@pytest.mark.parametrize("lead", ["", "- ", "    ", "  - "])
def test_every_value_of_a_section_is_hidden_as_a_whole(lines, shown, lead):
    head, deep = "\n" + lead.replace("-", " "), "\n  " + lead.replace("-", " ")
    before = f"{lead}kind: Secret{head}stringData:{deep}"
    after = f"{head}type: Opaque\n"
    text = before + lines.replace("\n", deep) + after
    hidden = HIDE.text(text)
    assert hidden.startswith(before)
    assert hidden.endswith(after)
    assert HIDE.text(hidden) == hidden
    told = re.sub(r"\[redacted:secret:\w+\]", "…", hidden[len(before) : -len(after)])
    if shown == "…":  # nothing but the names
        left = {word for word in re.findall(r"\w{3,}", told) if word not in {"folded", "binary"}}
        assert left == set()
    else:
        assert told == (lines if shown is None else shown).replace("\n", deep)


@pytest.mark.parametrize("kind", ["kind: Secret\n{}", "{}kind: Secret\n"])
def test_every_secret_of_a_long_list_is_hidden(kind):
    data = "data:\n  db: {}\n  b: {}\n"
    source = random.Random(kind)
    secrets = [secret_of("L", source) for _ in range(400)]
    items = [kind.format(data.format(*secrets[at : at + 2])) for at in range(0, 400, 2)]
    note = f"metadata:\n  name: {'x' * 200}\n"
    item = "".join(f"- {(each + note)}".replace("\n", "\n  ").rstrip() + "\n" for each in items)
    hidden = HIDE.text(f"apiVersion: v1\nitems:\n{item}")
    assert not [secret for secret in secrets if secret in hidden]
    assert hidden.count("x" * 200) == 200


def test_data_without_a_secret_near_it_stays():
    data = "data:\n  color: blue5x\n"
    other, far = f"kind: ConfigMap\n{data}", "more: 1\n" * 4000
    for text in (
        f"{other}---\nkind: Secret\n---\n{other}",
        f"{other}{far}kind: Secret\ntype: Opaque\n",
    ):
        assert HIDE.text(text) == text


@pytest.mark.parametrize(
    "part",
    [
        *(
            "data: {a: ",
            "data:\n",
            "kind: Secret\n",
            '"data": {',
            "  a: |\n",
            "\n  ",
            " " * 9,
            "- ",
        ),
        *('"', "'", "{", ": ", "\\", '\\"data\\":{', "&x ", "data: &x"),
    ],
)
def test_the_time_for_secrets_of_kubernetes_is_linear(part):
    def taken(times):
        text = f'kind: Secret\n"kind": "Secret"\ndata:\n  a: {part * times}'
        start = time.process_time()
        list(in_kubernetes(text))
        return time.process_time() - start

    taken(1000)
    assert taken(100_000) < 40 * max(taken(10_000), 0.005)


def test_a_long_line_of_a_heredoc_is_hidden_to_its_end():
    line = secret_of("", random.Random(7)) * 300
    hidden = HIDE.text(f"DB_PASSWORD=$(cat <<END\n{line}\nx{line}\nEND\n)\necho {line[:40]}y\n")
    assert re.fullmatch(
        r"DB_PASSWORD=\$\(cat <<END\n\[redacted:password:\w+\]\n\[redacted:password:\w+\]\n"
        rf"END\n\)\necho {line[:40]}y\n",
        hidden,
    )


@pytest.mark.parametrize("word", ["END", "{}"])
def test_the_time_for_heredocs_is_linear(word):
    def taken(times):
        heads = "".join(f"DB_PASSWORD=<<A{word.format(n)}\nx7y\n" for n in range(times))
        ends = "".join(f"A{word.format(n)}\n" for n in range(times))
        start = time.process_time()
        secrets_in(heads + ends)
        return time.process_time() - start

    taken(100)
    assert taken(8000) < 40 * max(taken(800), 0.01)


ORDINARY = [
    "app.ts:1042:17:error:TS2322",
    "src.c:1234:note:here:line42",
    "web.tsx:2042:main:render:Line42b",
    "Makefile:1042:17:error:E2322x",
    "worker:12345:main:WARNING:req42a",
    "mongodump --port 27017 -path/x",
    "mongod --bind_ip_all -port27017 --dbpath d",
    "login page -p3000",
    "npm run login -- -p3000",
    "mysqld --user=mysql -print-defaults",
    "mysql -h db -print-defaults",
    "mysqld_safe --user=mysql -pid-file=x1",
    "login user password reset123",
    "the default login user password reset123",
    "std::cerr << password <<EOF1\ns3cr3tX9\nEOF1",
    "ldapjs bind -w s3cr3tX9",
    "kind: ConfigMap\ndata:\n  color: blue5x",
    "kind: Secret\nmetadata:\n  name: app-secret7x",
    "where password=other.password and x",
    "connect(user=name, password=secret1, port=5)",
    "use 'password' or \"token\" here",
    "echo '::group::build7x'",
]


@pytest.mark.parametrize("line", ORDINARY)
def test_an_ordinary_line_stays(line):
    assert HIDE.text(f"{line}\n") == f"{line}\n"


@pytest.mark.parametrize("password", ["correcthorse", "let me in", "s3cr3t:X9", "12345"])
def test_every_password_of_a_pgpass_file_is_hidden(password):
    lines = f"# by hand\ndb.ts:5432:app:bob:{password}\n"
    for path in (".pgpass", "home/.pgpass.bak", "pgpass.conf"):
        hidden = HIDE.text(lines, path)
        assert hidden.startswith("# by hand\ndb.ts:5432:app:bob:[redacted:password:")
        assert hidden.endswith("]\n")


CODE = Path(pydantic.__file__).parent
"""A large package that handles passwords, but holds none."""


def test_ordinary_code_has_no_secrets():
    """Such as ``password=parts['password']`` and ``token: Token | None``."""
    texts = {path: path.read_text("utf-8") for path in sorted(CODE.rglob("*.py"))}
    assert sum(map(len, texts.values())) > 1_000_000
    found = {
        path.name: text[secret.start : secret.end]
        for path, text in texts.items()
        for secret in secrets_in(text, path.name)
    }
    assert found.keys() <= {"networks.py"}, found  # the example of a URL with a password
