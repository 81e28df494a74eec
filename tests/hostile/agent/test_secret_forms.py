"""Secrets in nearly 200 forms of files and commands are hidden, and nothing around them."""

import base64
import random
import re
import string
import time
from pathlib import Path

import pydantic
import pytest

from ipuaro_jupyter.agent.redaction import Redaction
from ipuaro_jupyter.agent.redaction.finder import secrets_in
from ipuaro_jupyter.agent.redaction.kubernetes import in_kubernetes

HIDE = Redaction(b"k" * 32)
CODES = re.compile(r"\x1b(?:\[[0-9;]*[A-Za-z]|\(B)")

# A file's path, or K for a key or L for a login in place of a password, and what is around it.
FORMS = {
    "netrc": ("", "machine api.internal\n  login app\n  password §§\n"),
    "netrc in a line": ("", "machine api.internal login app password §§\n"),
    "netrc, any machine": ("", "default login anonymous password §§\n"),
    "netrc, numbered": ("", "   12\tmachine db login app password §§\n"),
    "pgpass": ("", "db.internal:5432:app:app_user:§§\n"),
    "pgpass, several labels": ("", "db-1.eu.example-corp.net:5432:app:app_user:§§\n"),
    "pgpass, address": ("", "10.0.0.7:5432:app:app_user:§§\n"),
    "pgpass, any": ("", "*:*:*:postgres:§§\n"),
    "pgpass, numbered": ("", "    3│ localhost:5432:*:app:§§\n"),
    "YAML": ("config.yml", "db:\n  password: §§\n"),
    "YAML block": ("", "db:\n  password: |\n    §§\n  user: app\n"),
    "YAML block, indented by hand": ("", "password: |2-\n  §§\n"),
    "YAML block, tagged": ("", "password: !vault |\n  §§\n"),
    "YAML block of a key": ("K", "api_token: >-\n  §§\n"),
    "YAML block below a blank line": ("", "password: |\n\n  §§\n"),
    "YAML block, quoted name": ("", '"password": |-\n  §§\n'),
    "YAML plain on the next line": ("config.yml", "db:\n  password:\n    §§\n  user: app\n"),
    "YAML quoted on the next line": ("", 'db:\n  password:\n    "§§"\n'),
    "YAML anchor": ("a.yaml", "password: &db §§\n"),
    "YAML tag": ("a.yaml", "password: !!str §§\n"),
    "Kubernetes": ("", "env:\n  - name: DB_PASSWORD\n    value: §§\n"),
    "Kubernetes, reversed": ("", 'env:\n  - value: "§§"\n    name: DB_PASSWORD\n'),
    "Kubernetes, commented": ("", "- name: DB_PASSWORD # production\n\n  # why\n  value: §§\n"),
    "Kubernetes, block": ("", "- name: DB_PASSWORD\n  value: |\n    §§\n- name: A\n  value: b\n"),
    "ECS": ("", '"environment": [{"name": "DB_PASSWORD", "value": "§§"}]'),
    "ECS, over lines": ("", '  {\n    "name": "DB_PASSWORD",\n    "value": "§§"\n  }'),
    "pair with a type": ("", '{"name": "DB_PASSWORD", "type": "plain",\n "value": "§§"}'),
    "pair of YAML with more": ("", "- name: DB_PASSWORD\n  description: of db\n  value: §§\n"),
    "CloudFormation": ("", '{"ParameterKey": "DBPassword", "ParameterValue": "§§"}'),
    "Compose": ("", "environment:\n  - POSTGRES_PASSWORD=§§\n"),
    "setdefault": ("", 'os.environ.setdefault("DB_PASSWORD", "§§")\n'),
    "getenv with a default": ("", 'password = os.getenv("DB_PASSWORD", "§§")\n'),
    "environ.get with a default": ("", "os.environ.get('DB_PASSWORD', '§§')\n"),
    "setenv of Go": ("", 'os.Setenv("DB_PASSWORD", "§§")\n'),
    "monkeypatch": ("", 'monkeypatch.setenv("DB_PASSWORD", "§§")\n'),
    "Map.set": ("K", "headers.set('X-Api-Key', '§§');\n"),
    "setProperty of Java": ("", 'props.setProperty("db.password", "§§");\n'),
    "putenv of PHP": ("", "putenv('DB_PASSWORD=§§');\n"),
    "define of PHP": ("", "define('DB_PASSWORD', '§§');\n"),
    "or": ("", "const password = process.env.DB_PASSWORD || '§§';\n"),
    "nullish": ("", 'const password = process.env.DB_PASSWORD ?? "§§";\n'),
    "in parentheses": ("", 'DB_PASSWORD = ("§§")\n'),
    "on the next line in parentheses": ("", 'DB_PASSWORD = (\n    "§§"\n)\n'),
    "in pieces": ("K", 'API_KEY = (\n    "§§"\n    "§§"\n)\n'),
    "on the next line": ("", "const dbPassword =\n  '§§';\n"),
    "on the next line of JSON": ("", '{"password":\n  "§§"}\n'),
    "three quotes": ("", 'password = """§§"""\n'),
    "three quotes over lines": ("", 'password = """\n§§\n"""\n'),
    "curl -u": ("", "curl -u app:§§ https://api.internal/v1\n"),
    "curl --user": ("", "curl -s --user 'app:§§' https://api.internal/v1\n"),
    "curl, joined": ("", "curl -sSuapp:§§ https://api.internal/v1\n"),
    "curl --proxy-user": ("", "curl --proxy-user=app:§§ https://api.internal\n"),
    "mysql -p": ("", "mysql -u app -p§§ -h db app\n"),
    "mysqldump -p": ("", "    run: mysqldump -uroot -p'§§' app > app.sql\n"),
    "sshpass -p": ("", "sshpass -p '§§' ssh app@host\n"),
    "redis-cli -a": ("", "redis-cli -h cache -a §§ ping\n"),
    "docker login -p": ("", "docker login -u app -p §§ registry.internal\n"),
    "mongo -p": ("", "mongosh --host db -u app -p §§\n"),
    "psql with a URL": ("", "psql postgresql://app:§§@db/app\n"),
    "PGPASSWORD": ("", "PGPASSWORD='§§' psql -h db\n"),
    "echo to a program": ("", "echo '§§' | docker login --password-stdin\n"),
    "Azure storage": (
        "K",
        "DefaultEndpointsProtocol=https;AccountName=app;AccountKey=§§==;EndpointSuffix=core.net\n",
    ),
    "Azure, short": ("", "AccountName=app;AccountKey=§§;EndpointSuffix=core.net\n"),
    "Azure bus": ("K", "Endpoint=sb://x.net/;SharedAccessKeyName=Root;SharedAccessKey=§§=\n"),
    "ADO.NET": ("", "Server=db;Database=app;User Id=app;Password=§§;Encrypt=true\n"),
    "ADO.NET in JSON": ("", '"Default": "Server=db;User Id=app;Password=§§"\n'),
    "libpq": ("", 'dsn = "host=db user=app password=§§ dbname=app"\n'),
    "JDBC": ("", "jdbc:mysql://db/app?user=app&password=§§\n"),
    "INI": ("setup.cfg", "[db]\npassword = §§\n"),
    "properties": ("app.properties", "spring.datasource.password=§§\n"),
    "properties with a colon": ("app.properties", "db.password: §§\n"),
    "TOML": ("", 'password = "§§"\n'),
    "JSON": ("", '{"db": {"password": "§§"}}\n'),
    "XML element": ("", "<password>§§</password>\n"),
    "XML element over lines": ("", "<password>\n  §§\n</password>\n"),
    "XML CDATA": ("", "<password><![CDATA[§§]]></password>\n"),
    "XML attribute": ("", '<db user="app" password="§§"/>\n'),
    "XML key and value": ("", '<add key="DbPassword" value="§§" />\n'),
    "Maven": ("", "<server><username>app</username><password>§§</password></server>\n"),
    "Dockerfile ENV": ("", "ENV DB_PASSWORD=§§\n"),
    "Dockerfile ENV with a blank": ("", "ENV DB_PASSWORD §§\n"),
    "Dockerfile ARG": ("", "ARG DB_PASSWORD=§§\n"),
    "systemd": ("", 'Environment="DB_PASSWORD=§§"\n'),
    "fish": ("", "set -gx DB_PASSWORD §§\n"),
    "csh": ("", "setenv DB_PASSWORD §§\n"),
    "PowerShell": ("", '$env:DB_PASSWORD = "§§"\n'),
    "batch": ("", "set DB_PASSWORD=§§\n"),
    "Terraform": ("", 'variable "db_password" {\n  default = "§§"\n}\n'),
    "tfvars": ("", 'db_password = "§§"\n'),
    "Ansible": ("inventory", "ansible_ssh_pass=§§\n"),
    "Ruby hash": ("", "password: '§§', user: 'app'\n"),
    "Ruby rocket": ("", ":password => '§§',\n"),
    "Perl": ("", "my $password = '§§';\n"),
    "SQL": ("", "CREATE USER app WITH PASSWORD '§§';\n"),
    "SQL, identified": ("", "CREATE USER 'app'@'%' IDENTIFIED BY '§§';\n"),
    "C": ("", '#define DB_PASSWORD "§§"\n'),
    "npmrc": ("K", "//registry.internal/:_password=§§\n"),
    "pypirc": (".pypirc", "[pypi]\nusername = app\npassword = §§\n"),
    "git credentials": ("", "https://app:§§@git.internal\n"),
    "basic auth header": ("K", "Authorization: Basic §§\n"),
    "auth tuple": ("", 'requests.get(url, auth=("app", "§§"))\n'),
    "keyword": ("", 'connect(user="app", password="§§")\n'),
    "coloured": ("log.ini", "\x1b[36mpassword\x1b[m\x1b[1m:\x1b[0m \x1b[32m§§\x1b[K\x1b[m\n"),
    "coloured inside": ("K", "+API_KEY=\x1b[1;31m§§\x1b[0;39m\x1b(B§§\n"),
    "dotenv, joined": (".env", "DBPASS=§§\nPGPASS=§§\nSSHPASS=§§\nBYPASS=always\n"),
    "curl over lines": ("", "curl https://api.internal \\\n  -u app:§§\n"),
    "mysql over lines": ("", "mysql -h db \\\n  -u app \\\n  -p§§\n"),
    "mysql --password": ("", "mysql -u app --password=§§ app\n"),
    "dotenv": (".env", "PIN=1\nDB_PASS=§§\n"),
    "curl with a header": ("K", "curl -s -H 'X-Api-Key: §§' https://api.internal/v1\n"),
    "curl with a header, double quotes": ("K", 'curl --header "PRIVATE-TOKEN: §§" https://x.io\n'),
    "header without quotes": ("K", "http GET api.internal/v1 X-Api-Key:§§\n"),
    "headers of PHP": ("K", "CURLOPT_HTTPHEADER => ['X-Auth-Token: §§'],\n"),
    "header in YAML": ("K", "  run: curl -H 'Ocp-Apim-Subscription-Key: §§' $URL\n"),
    "token in a header": ("K", 'curl -H "Authorization: token §§" https://api.internal\n'),
    "token in a header, capital": ("K", "curl -H 'authorization: Token §§' https://api.internal\n"),
    "token in a header, quoted": ("K", 'Authorization: Token token="§§"\n'),
    "ApiKey in a header": ("K", "headers = {'Authorization': 'ApiKey §§'}\n"),
    "lone key in a header": ("K", "curl -H 'Authorization: §§' https://api.internal\n"),
    "header that is set": ("K", "headers['Authorization'] = 'Token §§'\n"),
    "header as an argument": ("K", 'request.setRequestHeader("Authorization", "token §§")\n'),
    "cookie": ("K", "curl -H 'Cookie: lang=en; sessionid=§§' https://app.internal\n"),
    "docker": ("L", '{"auths": {"registry.internal": {"auth": "§§"}}}\n'),
    "docker over lines": ("L", '\t\t"registry.internal": {\n\t\t\t"auth": "§§"\n\t\t}\n'),
    "docker, token": ("K", '{"auths": {"r.io": {"identitytoken": "§§"}}}\n'),
    "docker in Kubernetes": ("K", "data:\n  .dockerconfigjson: §§\n"),
    "DBPASS in a script": ("", "#!/bin/sh\nDBPASS=§§\nexport REDISPASS=§§\n"),
    "DBPASS before a command": ("", "DBPASS=§§ SSHPASS='§§' ./deploy.sh\n"),
    "DBPASS in a Dockerfile": ("", "FROM x\nENV DBPASS=§§\nENV FTPPASS §§\nARG SMTPPASS=§§\n"),
    "DBPASS of docker run": ("", "docker run -e DBPASS=§§ --env=APPPASS=§§ app\n"),
    "DBPASS in Compose": ("c.yml", "environment:\n  - DBPASS=§§\n  - 'LDAPPASS=§§'\n"),
    "DBPASS in Compose, mapping": ("c.yml", "environment:\n  DBPASS: §§\n  VPNPASS: '§§'\n"),
    "DBPASS in CI": ("", "env:\n  DBPASS: §§\nsteps:\n  - run: DBPASS=§§ make\n"),
    "DBPASS in Kubernetes": ("", "env:\n  - name: DBPASS\n    value: §§\n"),
    "dbpass of PHP": ("", "$dbpass = '§§';\n"),
    "dbpass in Python": ("", 'DBPASS = os.environ.get("DBPASS", "§§")\ndbpass = "§§"\n'),
    "user and pass": ("", "auth: { user: 'app', pass: '§§' },\n"),
    "user and pass over lines": ("", '{\n  "user": "app",\n  "pass": "§§"\n}\n'),
    "curl over many lines": (
        "",
        "curl \\\n  --fail \\\n  -H 'Accept: a;b' \\\n  -u \\\n  app:§§ \\\n  https://x.io\n",
    ),
    "curl over lines, numbered": (
        "",
        "   3\tcurl \\\n   4\t  -u app:§§ \\\n   5\t  https://x.io\n",
    ),
    "curl over lines, in a diff": ("", "+curl \\\n+  -u app:§§\n"),
    "curl over lines of PowerShell": ("", "curl `\r\n  -u app:§§\r\n"),
    "curl over lines of cmd": ("", "curl ^\r\n  -u app:§§\r\n"),
    "curl after a long URL": ("", f"curl 'https://x.io/{'a=1&b=2&' * 60}' -u app:§§\n"),
    "mysql over lines, first": ("", "mysql \\\n  -p§§ \\\n  app\n"),
    "redis-cli over lines": ("", "redis-cli \\\n  -h cache \\\n  -a \\\n  §§ ping\n"),
    "docker login over lines": ("", "docker login \\\n  -u app \\\n  -p §§ registry.internal\n"),
    "sshpass over lines": ("", "sshpass \\\n  -p §§ \\\n  ssh app@host\n"),
    "flag over lines": ("", "psql2 --host db \\\n  --password \\\n    §§\n"),
    "header over lines": ("K", "curl \\\n  -H \\\n  'X-Api-Key: §§'\n"),
    "heredoc of Terraform": ("", "  db_password = <<-EOT\n    §§\n  EOT\n"),
    "heredoc of a shell": ("", "DB_PASSWORD=$(cat <<'END'\n§§\nEND\n)\n"),
    "heredoc that is read": ("", "IFS= read -r -s DB_PASSWORD <<EOF\n§§\nEOF\n"),
    "heredoc that several names read": ("", "read _ DB_PASSWORD <<-'EOF'\n§§\nEOF\n"),
    "heredoc of many lines": ("", "DB_PASSWORD=$(cat <<END\n" + "§§\n" * 60 + "END\n)\n"),
    "state of Terraform": (
        "",
        '"outputs": {\n  "db_password": {\n    "value": "§§",\n    "type": "string"\n  }\n}\n',
    ),
    "state of Terraform in a line": ("", '"db_password":{"value":"§§","type":"string"}\n'),
    "provider of Terraform": ("K", 'provider "x" {\n  api_key = "§§"\n  app_key = "§§"\n}\n'),
    "variable of GitLab": ("", "DB_PASSWORD:\n    value: §§\n    description: of the db\n"),
    "Secret of Kubernetes": (
        "L",
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  db: §§\n  b: '§§'\n",
    ),
    "Secret of Kubernetes, plain": (
        "",
        "stringData:\n  db: §§\n  config.ini: |\n    §§\nkind: Secret\n---\nkind: ConfigMap\n",
    ),
    "Secret of Kubernetes, numbered": (
        "",
        "   1\tkind: Secret\n   2\tstringData:\n   3\t  db: §§\n   4\ttype: Opaque\n",
    ),
    "Secret of Kubernetes in JSON": (
        "L",
        '{"kind": "Secret", "data": {"db": "§§",\n "b": "§§"}, "type": "Opaque"}\n',
    ),
    "Secret of Kubernetes, flow": (
        "L",
        "kind: Secret\ndata: {db: §§, 'b': '§§', c: \"§§\",\n  d: §§}\ntype: Opaque\n",
    ),
    "Secret of Kubernetes, commented": (
        "",
        (
            "kind: Secret # of db\nstringData: # plain\n  # as agreed\n  db: §§\n# more\n  b: §§ \n"
            "  # old: §§\nmetadata:\n  name: db\n"
        ),
    ),
    "Secret of Kubernetes in a list": (
        "L",
        (
            "items:\n- kind: Secret\n  data:\n    db: §§\n- data:\n    db: §§\n  kind: Secret\n"
            "  metadata:\n    name: x\n"
        ),
    ),
    "Secret of Kubernetes in an indented list": (
        "L",
        (
            "items:\n  - data:\n      db: §§\n    kind: Secret\n  - kind: Secret\n    data:\n"
            "      b: §§\n    type: Opaque\n"
        ),
    ),
    "Secret of Kubernetes in JSON, braces": (
        "",
        '{"kind": "Secret", "data": {"a": "{§§", "b": "§§}", "c": "}\\"§§",\n "d": "§§"}}\n',
    ),
    "Secret of Kubernetes in JSON, escaped": (
        "L",
        '{"last": "{\\"data\\":{\\"a\\":\\"§§\\",\\"b\\":\\"§§\\"},\\"kind\\":\\"Secret\\"}\\n"}\n',
    ),
    "Secret of Kubernetes in a diff": (
        "L",
        " kind: Secret\n data:\n   a: §§\n-  b: §§\n+  b: §§\n type: Opaque\n",
    ),
    "Secret of Kubernetes, numbered, numeric": (
        "L",
        "  1│ kind: Secret\n  2│ data:\n  3│   8080: §§\n  4│ \n  5│   b: §§\n  6│ type: Opaque\n",
    ),
    "Secret of Kubernetes with Windows line ends": (
        "L",
        "kind: Secret\r\ndata:\r\n  a: §§\r\n  b: |\r\n    §§\r\ntype: Opaque\r\n",
    ),
    "Secret in a command": ("", "kubectl create secret generic x --from-literal=db=§§\n"),
    "kubeconfig": ("K", "  user:\n    client-key-data: §§§§\n"),
    "helm --set": ("", "helm install x --set db.password=§§ --set auth.rootPassword=§§\n"),
    "inventory": ("hosts", "h1 ansible_host=10.0.0.7 ansible_password=§§ ansible_port=22\n"),
    "module of Ansible": ("", "- mysql_user: name=app password=§§ priv=*.*:ALL\n"),
    "options of mount": ("", "//h/s /m cifs username=app,password=§§,uid=1000 0 0\n"),
    "redis.conf": ("", "requirepass §§\nmasterauth §§\n"),
    "ACL of redis": ("", "user app on >§§ ~* +@all\n"),
    "ldap.conf": ("", "bindpw §§\n"),
    "msmtprc": (".msmtprc", "account x\nuser app\npassword §§\n"),
    "rclone": ("rclone.conf", "[x]\ntype = sftp\nuser = app\npass = §§\n"),
    "Salt": ("pillar.sls", "mysql.pass: §§\n"),
    "WPA": ("", 'network={\n  ssid="x"\n  psk="§§"\n}\n'),
    "npmrc with a login": ("L", "_auth=§§\n"),
    "yarnrc with a login": ("", "npmAuthIdent: app:§§\n"),
    "Bundler": ("", 'BUNDLE_GEMS__INTERNAL__COM: "app:§§"\n'),
    "Composer": ("K", '{"github-oauth": {"github.com": "§§"}}\n'),
    "Gradle": ("", "storePassword \"§§\"\nkeyPassword '§§'\n"),
    "define of PHP with blanks": ("", "define( 'DB_PASSWORD', '§§' );\n"),
    "const of Rust": (
        "",
        'const DB_PASSWORD: &str = "§§";\nstatic PASSWORD: &\'static str = "§§";\n',
    ),
    "verbatim text of C#": ("", 'var password = @"§§";\n'),
    "connection of Java": ("", 'DriverManager.getConnection(url, "app", "§§")\n'),
    "connection of PHP": ("", "new PDO('mysql:host=db', 'app', '§§');\n"),
    "mysqli": ("", "mysqli_connect($host, 'app', '§§', 'db');\n"),
    "login of a client": ("", "server.login('app@x.io', '§§')\n"),
    "curlrc": ("", 'user = "app:§§"\n'),
    "keytool": ("", "keytool -genkey -storepass §§ -keypass §§\n"),
    "openssl -k": ("", "openssl enc -aes256 -k §§ -in x\n"),
    "unzip -P": ("", "unzip -P §§ x.zip\n"),
    "htpasswd -b": ("", "htpasswd -cb .htpasswd app §§\n"),
    "mask of GitHub": ("", '- run: echo "::add-mask::§§"\n'),
    "Vault": ("", "vault kv put secret/x password=§§\n"),
    "list of curl": ("", 'subprocess.run(["curl", "-u", "app:§§", url])\n'),
    "list of mysql": ("", 'CMD ["mysql", "-uroot", "-p§§", "app"]\n'),
    "list with a flag": ("", 'spawn("tool", ["--password", "§§"]);\n'),
    "list in YAML": ("", "command:\n  - redis-server\n  - --requirepass\n  - §§\n"),
}


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
