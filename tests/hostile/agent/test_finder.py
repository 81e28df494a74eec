"""Looking for secrets takes time in proportion to the text."""

import time

import pytest

from ipuaro_jupyter.agent.redaction import Redaction

HIDE = Redaction(b"k" * 32)
B64 = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"
HOSTILE = [
    "a",
    "token:",
    'token:"',
    "--token ",
    'password = "',
    "password = " + " " * 40,
    "://a:b",
    "eyJaaaaaaaaa.",
    "-----BEGIN PRIVATE KEY-----\n",
    "-----BEGIN ",
    "sk-",
    "xoxb-",
    "authorization: basic ",
    "Bearer ",
    B64 + "\n",
    "'\"`\\",
    " ",
    "\n",
    "password=x9kQ2v\n",
    "password: |\n",
    "password: |\n ",
    "password: |\n" + " " * 200 + "\n",
    "name: DB_PASSWORD\n  value: ",
    "{password: a1b2c3, ",
    "a: {password: a1b2c3} ",
    "PASSWORD=x9kQ2v a",
    "📁 .env:1\n",
    "📁 en.json:1\npassword=x9kQ2v\n",
    "⟨",
    "machine a login ",
    "login a password ",
    "curl -u a:",
    "login -p ",
    "value: aaaa, ",
    'DB_PASSWORD=(\n"',
    "password:\n  ",
    "a:5432:b:c:x9kQ2v7\n",
    "kind: Secret\ndata:\n",
    "kind: Secret\n",
    "kind: Secret\ndata:\n a: b\n",
    "data:\n a",
    '"kind": "Secret", "data": {',
    "password = <<A\n",
    "user=a,b=c,",
    "user=a,password=x,",
    "password=x9kQ2v b ",
    "user a >",
    "user a b ",
    "htpasswd -b a ",
    "openssl -k ",
    "-storepass ",
    "PDO(a, 'b', ",
    ".login('b', ",
    '"bearer": {',
    "password a9kQ2v\n",
    '"password": {"a": 1, ',
    "password:\n  a: b\n",
    "\x1b[1m",
    "\x9d",
    "a\x08",
    "a=b;password=",
    "curl -u \\\n",
    "curl '",
    "a \\\n",
    "- -a\n",
    "- -a ",
    '["-a", ',
    '"-a", ',
    "Authorization: token token=",
    "Cookie: a=b; ",
    'auth: "',
    'user: "a", pass: ',
    "pass",
]


@pytest.mark.parametrize("piece", HOSTILE, ids=repr)
def test_the_time_grows_with_the_text_only(piece):
    """Sixteen times the text takes about sixteen times as long; what is quadratic, 256 times."""

    def seconds(size):
        text = (piece * (size // len(piece) + 1))[:size]
        fastest = float("inf")
        for _ in range(3):
            began = time.thread_time()
            HIDE.text(text)
            fastest = min(fastest, time.thread_time() - began)
        return fastest

    small, large = seconds(8_000), seconds(128_000)
    assert large < max(0.25, 100 * small)
