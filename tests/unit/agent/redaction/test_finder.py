"""Which values are hidden from the model, and which are not."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipuaro_jupyter.agent.redaction import PLACEHOLDER, Redaction, redaction_key

HIDE = Redaction(b"k" * 32)


def plain(text):
    """Return a made-up secret: it is written with a sign inside, so that scanners pass it over."""
    return text.replace("·", "")


HEX = "9f86d081884c7d659a2feaa0c55ad015"
B64 = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"
JWT = plain(
    "eyJ·hbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ·zdWIiOiIxMjM0NTY3ODkwIn0"
    ".dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
)
UUID = "123e4567-e89b-12d3-a456-426614174000"
SECRETS = [
    ("aws-key", "id = §§", "AK·IAQ3EGRTYN7ZPL4WXB"),
    ("aws-key", '{"AccessKeyId": "§§"}', "AS·IAQ3EGRTYN7ZPL4WXB"),
    ("secret", 'aws_secret_access_key = "§§"', "wJalrXUt·nFEMI/K7MDENG/bPxRfiCYzQw9LmKe"),
    ("secret", "AWS_SECRET_ACCESS_KEY=§§", "wJalrXUt·nFEMI/K7MDENG/bPxRfiCYzQw9LmKe"),
    ("gcp-key", "const key = '§§'", "AI·zaSyD9x7Qm2LkV4bN8rT1wZ5cY3hJ6fG0pKsE"),
    ("gcp-key", "Authorization §§", "ya·29.a0AfH6SMBx9kQ2vLmN4rT7wZ1cY3"),
    ("github-token", "git clone with §§ now", "gh·p_16C7e42F292c6912E7710c838347Ae178B4a"),
    ("github-token", "token §§", "github·_pat_11ABCDEFG0x9YkQ2vLmN4r_T7wZ1cY3hJ6"),
    ("gitlab-token", "curl -H 'PRIVATE-TOKEN: §§'", "gl·pat-x9kQ2vLmN4rT7wZ1cY3h"),
    ("slack-token", "SLACK=§§", "xo·xb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzzqgy"),
    ("webhook", "https://hooks.slack.com/services/§§", "T0·24BE7LD/B1A2C3D4E/x9kQ2vLmN4rT7wZ1"),
    ("stripe-key", "stripe.api_key = '§§'", "sk·_live_4eC39HqLyjWDarjtT1zdp7dc"),
    ("stripe-key", "whsec = §§", "wh·sec_9x7Qm2LkV4bN8rT1wZ5cY3hJ6fG0pKsE"),
    (
        "npm-token",
        "//registry.npmjs.org/:_authToken=§§",
        "npm·_x9kQ2vLmN4rT7wZ1cY3hJ6fG0pKsE8dUiAoB",
    ),
    ("secret", "//registry.npmjs.org/:_authToken=§§", UUID),
    ("pypi-token", "password = §§", "pypi·-AgEIcHlwaS5vcmcCJDQ1" + "x9kQ2vLmN4" * 6),
    ("llm-key", "OPENAI = '§§'", "sk·-proj-x9kQ2vLmN4rT7wZ1cY3hJ6fG0pKs"),
    ("llm-key", "key: §§", "sk·-ant-api03-x9kQ2vLmN4rT7wZ1cY3hJ6fG0pKs"),
    ("llm-key", "key §§;", "sk·-x9kQ2vLmN4rT7wZ1cY3hJ6fG0pKsE8dU"),
    ("llm-key", "hub §§", "hf·_xkQvLmNrTwZcYhJfGpKsEdUiAoBxyzabcd"),
    (
        "sendgrid-key",
        "mail §§",
        "SG·.x9kQ2vLmN4rT7wZ1cY3hJ6.x9kQ2vLmN4rT7wZ1cY3hJ6fG0pKsE8dUiAoB7mNqXyZ",
    ),
    ("twilio-key", "sid §§", "SK·" + HEX),
    ("telegram-token", "bot §§", "1234567890:AA·Ex9kQ2vLmN4rT7wZ1cY3hJ6fG0pKsE8dU"),
    ("azure-key", "AccountName=a;AccountKey=§§;", "x9kQ2vLmN4rT7wZ1cY3hJ6fG0pKsE8dUiAoB7mNqXyZ=="),
    ("cloud-token", "DO §§", "dop·_v1_" + HEX + HEX),
    ("jwt", "Cookie: session=§§", JWT),
    ("authorization", "Authorization: Bearer §§", "x9kQ2vLmN4rT7wZ1cY3hJ6fG0pKs"),
    ("authorization", "'Authorization': 'Basic §§'", "YWxhZGRpbjpvcGVuc2VzYW1l"),
    ("password", "postgres://app:§§@db:5432/app", "s3cr3tPw"),
    ("password", "DATABASE_URL=mysql://root:§§@127.0.0.1/x", "hunter2!"),
    ("password", "redis://:§§@cache:6379/0", "Zx81-Spectrum"),
    ("password", 'password = "§§"', "hunter2"),
    ("password", "const dbPassword = '§§';", "Tr0ub4dor&3"),
    ("password", 'const password: string = "§§"', "Tr0ub4dor&3"),
    ("password", '"password": "§§",', "p@ssw0rd!x"),
    ("password", '  \\"password\\": \\"§§\\"', "p4ssw0rdx9"),
    ("password", "DB_PASSWORD=§§", "letmein"),
    ("password", "export DB_PASS=§§", "letmein77"),
    ("password", "   12\tMYSQL_ROOT_PASSWORD=§§", "correcthorse"),
    ("password", "password: §§", "s3cr3tPassw0rd"),
    ("password", "spring.datasource.password=§§", "s3cr3tPassw0rd"),
    ("password", "<password>§§</password>", "s3cr3tPassw0rd"),
    ("password", "mysql --user app --password §§ app", "s3cr3t!Pw"),
    ("password", "Server=db;Uid=app;Pwd=§§;", "s3cr3tPw9"),
    ("password", 'passphrase: "§§"', "correct horse battery staple"),
    ("password", 'if (password === "§§") {', "hunter2000"),
    ("password", "password = b'§§'", "x9kQ2vLmN4"),
    ("secret", 'apiKey: "§§"', "x9kQ2vLmN4rT7wZ1cY3h"),
    ("secret", "API_KEY=§§", HEX),
    ("secret", "X-Api-Key: §§", "x9kQ2vLmN4rT7wZ1cY3h"),
    ("secret", '"client_secret": "§§"', "Q~x9kQ2vLmN4rT7wZ1cY3h"),
    ("secret", "HEROKU_API_KEY=§§", UUID),
    ("secret", "SECRET_KEY_BASE=§§", HEX),
    ("secret", "signing_key: '§§'", "x9kQ2vLmN4rT7wZ1cY3h"),
    ("token", 'token: "§§"', HEX + "deadbeef"),
    ("token", "https://api.test.org/v1?access_token=§§&x=1", "x9kQ2vLmN4rT7wZ1cY3h"),
    ("secret", "  ENCRYPTION_KEY: §§", "x9kQ2vLmN4rT7wZ1cY3h"),
    ("password", "PGPASSWORD=§§", "Tr0ub4dor&3"),
    ("password", "PGPASSWORD=§§ psql -h db", "Tr0ub4dor&3"),
    ("password", "dbpassword=§§", "Tr0ub4dor&3"),
    ("password", "docker run -e MYSQL_ROOT_PASSWORD=§§ mysql", "letmein77"),
    ("password", "db: {user: root, password: §§}", "toor1234"),
    ("password", "  - {password: §§, user: root}", "toor1234"),
    ("password", 'password: "§§"', "correct horse battery staple"),
    ("password", '  "password": "§§",', "correct horse battery staple"),
    ("password", "PASSWORD='§§'", "blue sky 99"),
    ("password", "password: >-\n  §§\nuser: root", "s3cr3tPw9"),
    ("password", "   3\t  password: |  # of the db\n   4\t    §§\n   5\t  a: 1", "letmein"),
    ("password", "- password: |\r\n    §§\r\n", "correct horse battery staple"),
    ("password", "+password: >\n+  §§\n+user: root", "s3cr3tPw9"),
    ("secret", "SECRET=§§", "hunter2"),
    ("password", "- name: DB_PASSWORD\n  value: §§", "s3cretvalue"),
    ("password", '   3\t- name: DB_PASSWORD\n   4\t  value: "§§"', "s3cretvalue"),
    ("password", '{"Name": "DB_PASSWORD",\n "Value": "§§"}', "s3cretvalue"),
    ("password", "   12│ DB_PASSWORD=§§", "letmein"),
    ("password", "▶   12│ ⟨DB_PASSWORD⟩=§§", "letmein"),
    ("secret", "curl -H 'X-Api-Key: §§' https://x.io", "x9kQ2vLmN4rT7wZ1cY3h"),
    ("authorization", 'curl -H "Authorization: token §§"', "x9kQ2vLmN4rT7wZ1cY3h"),
    ("cookie", "Cookie: a=b; sessionid=§§", "x9kQ2vLmN4rT7wZ1cY3h"),
    ("secret", '{"auths": {"r.io": {"auth": "§§"}}}', "YXBwOnMzY3IzdFB3OQ=="),
    ("secret", "data:\n  .dockerconfigjson: §§", "eyJhdXRocyI6e319eyJhdXRocyI6e319"),
    ("password", "DBPASS=§§", "letmein"),
    ("password", "docker run --env=DBPASS=§§ app", "letmein77"),
    ("password", "{user: 'app', pass: '§§'}", "s3cr3tPw9"),
    ("password", "curl \\\n  --fail \\\n  -u \\\n  app:§§ \\\n  https://x.io", "s3cr3tPw9"),
    ("password", "   3\tredis-cli \\\n   4\t  -a §§ ping", "s3cr3tPw9"),
    ("password", 'run(["tool", "--password", "§§"])', "s3cr3tPw9"),
    ("password", "args:\n  - --password\n  - §§", "s3cr3tPw9"),
    ("password", "tool --password §§", "s3cr3tPw9"),
]


@pytest.mark.parametrize(("kind", "around", "secret"), SECRETS)
def test_a_secret_is_hidden_and_all_else_stays(kind, around, secret):
    secret = plain(secret)
    hidden = HIDE.text(around.replace("§§", secret))
    assert secret not in hidden
    assert re.fullmatch(
        re.escape(around).replace("§§", rf"\[redacted:{kind}:[0-9a-f]{{4}}\]"), hidden
    ), hidden


STAYS = [
    "password: string",
    "password?: string | null;",
    "password: Password2;",
    "token = getToken()",
    "const token = await this.tokens.next(user)",
    "token = request.headers['x-token']",
    "this.password = password",
    "user.password = hashPassword(input.password2)",
    "def login(user: str, password: str = '') -> Token:",
    "password=os.environ['DB_PASSWORD']",
    "password: process.env.DB_PASSWORD,",
    "secret: ${{ secrets.NPM_TOKEN }}",
    "DB_PASSWORD=${DB_PASSWORD:-}",
    "DB_PASSWORD=$1",
    "TOKEN=$(cat /run/secrets/token)",
    "POSTGRES_PASSWORD=postgres",
    'password = "changeme"',
    'password = "change-me-please"',
    'password: "xxxxxxxx"',
    'password: "********"',
    'apiKey: "<your key>"',
    'apiKey: "YOUR_API_KEY"',
    'apiKey: "your-api-key-here"',
    'api_key = "sk-..."',
    'key: "AK·IAIOSFODNN7EXAMPLE"',  # a key id with EXAMPLE in it is one of the manuals'
    "AWS_ACCESS_KEY_ID=AK·IAIOSFODNN7EXAMPLE",
    "ghp_" + "x" * 36,
    '"password": "required"',
    '"password": "Password"',
    '"password": "auth.form.password.label"',
    '<input type="password" name="password" />',
    '<label for="password">Password:</label>',
    "Enter your password: it has at least 8 characters",
    'tokenType: "Bearer"',
    'token_type = "oauth2"',
    "max_tokens: 4096",
    "maxTokens = 32768",
    "tokens = tokenizer.encode(text)",
    'nextPageToken: "CAUQAA1234567890abcd"',
    'eos_token = "<|endoftext|>"',
    "sep_token: '[SEP]'",
    'secretName: "kube-tls-cert-2024"',
    'secret: "/run/secrets/db_password_1"',
    'passwordFile: "/etc/app/password1.txt"',
    f"commit {HEX}deadbeef",
    f"{HEX[:7]} Fix the password form",
    f'id: "{UUID}"',
    f'token: "{UUID}"',
    f'"integrity": "sha512-{B64}{B64[:22]}=="',
    f'resolved "https://registry.yarnpkg.com/a/-/a-1.0.0.tgz#{HEX}deadbeef"',
    f'checksum = "{HEX}{HEX}"',
    f"sha256:{HEX}{HEX}",
    "https://user@host.example.org/path",
    "http://localhost:8080/a:b@c",
    "postgres://user:password@localhost/db",
    "postgres://app:${DB_PASSWORD}@db/app",
    "postgres://postgres:postgres@localhost/test",
    "git@github.com:owner/repo.git",
    "import { token } from './token'",
    "class PasswordResetToken2 extends Token {}",
    "case 'token': return lexer.token1",
    "const API_KEY_HEADER = 'x-api-key-v2'",
    "sk-loading-indicator-item-1-of-12",
    "npm_config_registry=https://registry.npmjs.org",
    "npm_package_json_version_of_this_module_1",
    "eyJhbGciOiJIUzI1NiJ9",
    "-----BEGIN PUBLIC KEY-----",
    "[redacted:aws-key:1a2b] stands for a key",
    "the word [redacted] alone",
    "data:image/png;base64," + B64 * 3,
    "csrf: 'token'",
    'password = f"{user}{n}2"',
    "password == other_password1",
    "'Authorization': `Bearer ${token}`",
    "Authorization: Bearer <token>",
    'token: "TOKEN_EXPIRED_401"',
    'password: "PASSWORD_TOO_SHORT_8"',
    'password: "Forgot your password?"',
    'password: "Forgot it? Ask for a new one 24 hours later."',
    'password: "Enter it twice"',
    'password: "enter it twice please"',
    'password: "Mot de passe"',
    'password: "at least 8 chars"',
    'password: "Passwort?"',
    'password: "Password*"',
    'password: "VARCHAR(255) NOT NULL"',
    'password: "user name"',
    "'password' => 'required|string|min:8',",
    "login({user: root, password: toor1234})",
    "const login = {user: root, password: toor1234}",
    "db: {user: root, password: toor1234},",
    "password: |\n  The password of the user.\nuser: hunter2000",
    "password: >-\nuser: hunter2000",
    "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef: hunter2000",
    '{name: "password", value: "Password"}',
    "TOKEN=sha256",
    "PASSWORD=$(pass show db) psql",
    '_SIGNED = ("authorization", "x-amz-content-sha256", "x-amz-date")',
    "Authorization: Bearer",
    "Authorization: Token ${TOKEN}",
    "headers: { Authorization: `Token ${token}` }",
    "auth: true",
    '"auth": "requiredForEveryRequest1",',
    "auth = base64encode(user)",
    "export BYPASS=always1",
    "COMPASS=north42",
    "renderpass: shadow2",
    "surpass = levels99",
    "  pass  # nothing to do",
    "{user: 'app', pass: 'password'}",
    "Cookie: theme=dark; lang=en",
    "app.ts:10:5:error",
    "echo one \\\n  two",
    'run(["git", "--no-pager", "log", "-p"])',
    'parser.add_argument("--token", help="Where it is read from")',
    "args:\n  - --token-file\n  - /run/secrets/token1",
    "args:\n  - --password\n  - $(DB_PASSWORD)",
    "'X-Api-Key: string'",
    '"token: Token"',
]


@pytest.mark.parametrize("text", STAYS)
def test_what_only_looks_like_a_secret_stays(text):
    assert HIDE.text(plain(text)) == plain(text)


PEM = "\n".join(
    ["-----BEGIN RSA PRIVATE KEY-----", *([B64] * 4), "x9kQ2vLm==", "-----END RSA PRIVATE KEY-----"]
)


@pytest.mark.parametrize(
    "shown",
    [
        PEM,
        "\n".join(f"{n:>5}\t{line}" for n, line in enumerate(PEM.split("\n"), 1)),
        "\n".join(f"+{line}" for line in PEM.split("\n")),
        "\n".join(f"    {line}" for line in PEM.split("\n")[:3]),
        'key = "' + PEM.replace("\n", "\\n") + '"',
        "\n".join(f"{n:>5}\t{line}" for n, line in enumerate(PEM.split("\n")[1:-1], 2)),
        "const key = `\n" + PEM + "`\nconst more = 1",
    ],
)
def test_a_private_key_is_hidden_line_by_line(shown):
    hidden = HIDE.text(shown)
    assert B64 not in hidden
    assert hidden.count("\n") == shown.count("\n")
    assert "redacted:private-key" in hidden
    for line in shown.split("\n"):
        if B64 not in line and "x9kQ" not in line:
            assert line in hidden


def test_a_certificate_is_public():
    text = PEM.replace("RSA PRIVATE KEY", "CERTIFICATE")
    assert HIDE.text(text) == text


def test_equal_secrets_are_equal_and_the_key_matters():
    text = 'password = "hunter2"\nother_password = "hunter2"\nthird_password = "hunter3"'
    first, second, third = PLACEHOLDER.findall(HIDE.text(text))
    assert first == second != third
    assert Redaction(b"other key" * 3).text(text) != HIDE.text(text)


def test_the_key_is_the_users_own_and_stays(tmp_path):
    key = redaction_key(tmp_path / "home")
    assert redaction_key(tmp_path / "home") == key
    assert (tmp_path / "home/redaction.key").stat().st_mode & 0o077 == 0
    assert redaction_key(tmp_path / "elsewhere") != key


def test_plain_data_is_hidden_field_by_field():
    data = {"lines": ["password = 'hunter2'", 3, None], "password": "hunter2", "ok": True}
    hidden = HIDE.value(data)
    assert "hunter2" not in str(hidden)
    assert hidden["lines"][1:] == [3, None]
    assert PLACEHOLDER.fullmatch(hidden["password"])
    assert hidden["ok"] is True


def test_texts_that_follow_each_other_are_lines_of_one():
    hidden = HIDE.value(["a\nb", "password: >-", "  letmein", ""])
    assert [*hidden[:2], hidden[3]] == ["a\nb", "password: >-", ""]
    assert PLACEHOLDER.fullmatch(hidden[2].strip())


@pytest.mark.parametrize("shown", ["⟨letmein⟩", "let⟨me⟩in", "⟨let⟩m⟨ein⟩"])
def test_what_a_search_marks_is_hidden_and_equal_to_what_it_does_not_mark(shown):
    hidden = HIDE.text(f"▶   12│ DB_PASSWORD={shown}\n  13│ DB_PASSWORD=letmein")
    marked, unmarked = PLACEHOLDER.findall(hidden)
    assert marked == unmarked
    assert "let" not in hidden


def test_nothing_is_hidden_when_it_is_switched_off():
    text = 'password = "hunter2"'
    assert Redaction(b"k", enabled=False).text(text) == text


PIECES = st.sampled_from(
    [
        *(around.replace("§§", plain(secret)) for _, around, secret in SECRETS),
        *(plain(secret) for _, _, secret in SECRETS),
        *map(plain, STAYS),
        *PEM.split("\n"),
        *("password", "=", ":", '"', "'", "\\", "://", "@", "\n", " ", "[redacted:", ":1a2b]", "İ"),
        *("⟨", "⟩", ">-", "|\n  ", "value: ", "{", "}", "📁 .env:1\n", "📁 de.json:1\n", "KEY="),
    ]
)


@given(
    st.lists(st.one_of(PIECES, st.text(max_size=12)), max_size=12).map("".join),
    st.sampled_from(["", ".env", "i18n/de.json"]),
)
def test_hiding_twice_is_hiding_once_and_lines_stay_lines(text, path):
    hidden = HIDE.text(text, path)
    assert HIDE.text(hidden, path) == hidden
    assert hidden.count("\n") == text.count("\n")
    assert hidden.count("\r") == text.count("\r")
