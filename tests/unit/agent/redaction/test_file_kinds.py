"""What is hidden in ``.env`` files, and what is not among the texts of a program's users."""

import pytest

from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.agent.redaction import PLACEHOLDER, Redaction, path_of

HIDE = Redaction(b"k" * 32)


@pytest.mark.parametrize("path", [".env", "app/.env.local", ".envrc", "C:\\app\\.env.prod"])
@pytest.mark.parametrize(
    ("around", "value"),
    [
        ("SECRET=§§", "hunter2"),
        ("KEY=§§", "abcd"),
        ('STRIPE_KEY="§§"', "ab cd"),
        ("TOKEN='§§'", "letm"),
        ("PASSWORD=§§", "1234"),
        ("PASS=§§  # note", "blue sky"),
        ("   2\texport API_TOKEN=§§", "abcd"),
        ("+DB_KEY=§§", "abcd"),
        ("# OLD_SECRET=§§", "abcd"),
    ],
)
def test_every_value_of_a_telling_name_in_a_dotenv_file_is_hidden(path, around, value):
    before, _, after = around.partition("§§")
    hidden = HIDE.text(around.replace("§§", value), path)
    assert hidden.startswith(before)
    assert hidden.endswith(after)
    assert PLACEHOLDER.fullmatch(hidden[len(before) : len(hidden) - len(after)])


@pytest.mark.parametrize(
    "line",
    [
        "SECRET=changeme",
        "SECRET=",
        "PASSWORD=abc",
        "PASSWORD=${ELSEWHERE}",
        "PUBLIC_KEY=abcdef",
        "TOKEN_EXPIRY=3600",
        "SECRET_KEY=/run/secrets/key",
        "KEYCLOAK=abcdef",
        "DB_HOST=db.local",
    ],
)
def test_placeholders_and_other_names_in_a_dotenv_file_stay(line):
    assert HIDE.text(line, ".env") == line


TEXTS = [
    "src/locale/auth.ts",
    "app/i18n/a.json",
    "lang/x.php",
    "translations/x.yml",
    "en.json",
    "web/de.ts",
    "messages_de.properties",
    "pt-BR.json",
]


@pytest.mark.parametrize("path", TEXTS)
@pytest.mark.parametrize(
    "line",
    [
        'password: "Passwort2vergessen"',
        'password: "Passwort2vergessen?"',
        '"password": "Forgot your password?"',
        'password: "neues geheimes wort"',
        'token: "Token2abgelaufenHeute"',
    ],
)
def test_texts_that_users_read_stay(path, line):
    assert HIDE.text(line, path) == line


def test_what_cannot_be_a_text_is_hidden_among_texts():
    token = "9f86d081884c7d659a2feaa0c55ad015"
    told = HIDE.text(f'password: "Tr0ub4dor&3"\ntoken: "{token}"', "i18n/en.json")
    assert "Tr0ub" not in told
    assert token not in told


def test_a_heading_says_which_file_the_lines_below_are_from():
    line = '▶    1│ password: "Passwort2vergessen"'
    told = HIDE.text(f"📁 i18n/de.ts:1\n{line}\n📁 src/a.ts:1\n{line}\n📁 .env:1\n  1│ KEY=abcd")
    assert told.count("Passwort2vergessen") == 1
    assert told.startswith(f"📁 i18n/de.ts:1\n{line}\n")
    assert "abcd" not in told
    assert "abcd" not in HIDE.text("+++ b/.env\n+KEY=abcd")


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ({"path": "a/.env"}, "a/.env"),
        ({"filepath": ".env"}, ".env"),
        ({"command": "cat config/.env.local | head"}, ".env.local"),
        ({"command": "echo process.env"}, ""),
        ({"path": 3}, ""),
        ({}, ""),
    ],
)
def test_the_path_comes_from_the_arguments_of_a_call(arguments, path):
    assert path_of(arguments) == path


def call(name, /, **parameters):
    tags = "".join(f"<{key}>{value}</{key}>\n" for key, value in parameters.items())
    return f'<tool_call name="{name}">\n{tags}</tool_call>'


@pytest.mark.parametrize(
    "asked",
    [
        call("get_lines", path=".env"),
        call("read_file", filepath=".env"),
        call("run_command", command="cat .env"),
        call("grep", pattern="KEY"),
        call("grep", pattern="bc"),
    ],
)
def test_the_model_never_sees_a_short_key_of_a_dotenv_file(open_assistant, make_project, asked):
    project = make_project({".env": "SHOP_KEY=abcd\nSHOP=1\n", "a.py": "x = 1\n"})
    model = ScriptedModel([asked, "Done."])
    assistant = open_assistant(project, model, confirm=lambda _: True)
    assert "SHOP" in assistant.ask("Run it").tool_calls[0].result.text()
    told = model.requests[-1].messages[-1].content
    assert "SHOP_KEY" in told.replace("⟨", "").replace("⟩", "")
    assert "abcd" not in told.replace("⟨", "").replace("⟩", "")


def test_the_model_reads_and_edits_a_text_of_a_program(open_assistant, make_project):
    project = make_project({"i18n/de.ts": 'export default {\n  password: "Passwort2neu",\n}\n'})
    model = ScriptedModel([call("get_lines", path="i18n/de.ts"), "Done."])
    open_assistant(project, model).ask("How is it called?")
    assert "Passwort2neu" in model.requests[-1].messages[-1].content


def test_the_lines_of_a_deleted_file_are_of_its_kind():
    patch = "--- a/app/.env\n+++ /dev/null\n@@ -1 +0,0 @@\n-MY_PASS=blue sky\n"
    assert "blue" not in HIDE.text(patch)
    assert "sky" in HIDE.text(patch.replace(".env", "env.md"))
