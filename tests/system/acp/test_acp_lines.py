"""``ipuaro acp``, sent lines on its standard input that are no messages."""

import itertools
import json
import subprocess
import sys
import threading

LONG = 50 * 1024 * 1024
WITHIN_S = 90
LIST = {"jsonrpc": "2.0", "id": 7, "method": "session/list", "params": {}}
NOT_SENT = (-32600, None)
CASES = {
    "a list": (b"[]", NOT_SENT, "JSON object"),
    "several at once": (b"[" + json.dumps(LIST).encode() + b"]", NOT_SENT, "JSON object"),
    "a number": (b"5", NOT_SENT, "JSON object"),
    "a string": (b'"initialize"', NOT_SENT, "JSON object"),
    "null": (b"null", NOT_SENT, "JSON object"),
    "no JSON": (b"hello", (-32700, None), "not JSON"),
    "a line cut off": (b'{"jsonrpc": "2.0", "id": 1', (-32700, None), "not JSON"),
    "not UTF-8": (b'{"id": 1, "method": "\xff\xfe"}', (-32700, None), "UTF-8"),
    "UTF-16": (json.dumps(LIST).encode("utf-16-le").replace(b"\n", b""), (-32700, None), "UTF-8"),
    "a number of 5,000 digits": (b'{"id": ' + b"1" * 5000 + b"}", (-32700, None), "not JSON"),
    "deep": (b"[" * 200_000, (-32700, None), "nested too deeply"),
    "long": (b'{"id": 1, "method": "' + b"x" * LONG + b'"}', NOT_SENT, "too long"),
    "an empty object": (b"{}", NOT_SENT, "has a method"),
    "an id alone": (b'{"id": "a"}', (-32600, "a"), "has a method"),
    "a method that is a list": (b'{"id": 3, "method": []}', (-32600, 3), "has a method"),
    "an id that is a list": (b'{"id": [], "method": "initialize"}', NOT_SENT, "id of a message"),
    "an id that is true": (b'{"id": true, "result": 1}', NOT_SENT, "id of a message"),
    "no such method": (b'{"id": 3, "method": "none"}', (-32601, 3), "not found"),
    "parameters in a list": (b'{"id": 3, "method": "initialize", "params": []}', (-32602, 3), "I"),
    "no folder": (
        b'{"id": 3, "method": "session/new", "params": {"mcpServers": []}}',
        (-32602, 3),
        "Invalid parameters: cwd: Field required",
    ),
}
FOLDERS = {
    "nowhere": "does not exist",
    "a.ts": "is a file",
    "": "is not an absolute path",
    "\0": "does not exist",
    "\ud800": "does not exist",
}


def write(stream, written):
    stream.write(written)
    stream.flush()


def sent(lines, root, *, responses):
    """That many responses of a server to lines, and what it wrote into its log until its end."""
    command = [sys.executable, "-m", "ipuaro_jupyter.cli", "acp"]
    with (root.parent / "log").open("w+b") as log:
        with subprocess.Popen(
            command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log
        ) as server:
            ending = threading.Timer(WITHIN_S, server.kill)
            ending.start()
            written = b"".join(line + b"\n" for line in lines)
            writing = threading.Thread(target=write, args=[server.stdin, written])
            writing.start()
            told = [json.loads(server.stdout.readline()) for _ in range(responses)]
            writing.join()
            server.stdin.close()
            assert server.stdout.read() == b""
            assert server.wait() == 0
            ending.cancel()
        log.seek(0)
        return told, log.read().decode()


def test_each_wrong_line_gets_its_error_and_the_next_is_read(make_project):
    root = make_project({"a.ts": "export const a = 1;\n"})
    begin = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
    lines = [wrong for wrong, _, _ in CASES.values()]
    lines += [b"", b'{"id": 9, "error": 5}', json.dumps(begin).encode()]
    told, log = sent(lines, root, responses=len(CASES) + 1)
    errors = [one for one in told if "error" in one]
    for name, (_, (code, request_id), words) in CASES.items():
        assert any(
            one["error"]["code"] == code
            and one["id"] == request_id
            and words in one["error"]["message"]
            for one in errors
        ), name
    assert [one["id"] for one in told if "result" in one] == [0]
    assert "Traceback" not in log


def test_a_wrong_folder_is_told(make_project):
    root = make_project({"a.ts": "export const a = 1;\n"})
    asked = list(itertools.product(["session/new", "session/load", "session/list"], FOLDERS))
    lines = []
    for number, (method, folder) in enumerate(asked):
        cwd = f"{root}/{folder}" if folder else "."
        params = {"cwd": cwd, "mcpServers": [], "sessionId": "x"}
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        lines.append(json.dumps(request).encode())
    told, log = sent(lines, root, responses=len(asked))
    errors = {one["id"]: one["error"] for one in told}
    for number, (method, folder) in enumerate(asked):
        assert errors[number]["code"] == -32602, (method, folder)
        assert FOLDERS[folder] in errors[number]["message"], (method, folder)
    assert "Traceback" not in log
