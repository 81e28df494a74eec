"""What pyright's language server renames, and what its checker finds wrong.

The server is asked over its standard streams, in the Language Server Protocol.
"""

import ast
import json
import os
import random
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from typing import Any, Self
from urllib.parse import unquote, urlsplit

from corpora import node_folder

_TIMEOUT_S = 600


class LanguageServer:
    """pyright's language server for one folder; closed by ``with``."""

    def __init__(self, root: Path) -> None:
        script = node_folder() / "node_modules" / "pyright" / "langserver.index.js"
        self._process = subprocess.Popen(
            ["node", "--max-old-space-size=3072", str(script), "--stdio"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._answers: Queue[dict[str, Any]] = Queue()
        self._number = 0
        self.root = root
        threading.Thread(target=self._read, daemon=True).start()
        folder = {"uri": root.as_uri(), "name": "root"}
        self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": root.as_uri(),
                "workspaceFolders": [folder],
                "capabilities": {"workspace": {"workspaceEdit": {"documentChanges": True}}},
            },
        )
        self.notify("initialized", {})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def open(self, path: Path) -> None:
        """Open a file, so that it may be asked about."""
        document = {
            "uri": path.as_uri(),
            "languageId": "python",
            "version": 1,
            "text": path.read_bytes().decode(),
        }
        self.notify("textDocument/didOpen", {"textDocument": document})

    def rename(
        self, path: Path, line: int, column: int, to: str
    ) -> Iterator[tuple[Path, int, int]]:
        """Yield the places of a rename: the file, the line and the column, both 0-based."""
        place = {"line": line, "character": column}
        given = {"textDocument": {"uri": path.as_uri()}, "position": place, "newName": to}
        found = self.request("textDocument/rename", given) or {}
        changes = [
            *(
                (one["textDocument"]["uri"], one["edits"])
                for one in found.get("documentChanges", ())
            ),
            *found.get("changes", {}).items(),
        ]
        for uri, edits in changes:
            for edit in edits:
                start = edit["range"]["start"]
                yield _path(uri), start["line"], start["character"]

    def request(self, method: str, given: dict) -> Any:
        """The result of a request; None when the server refuses."""
        self._number += 1
        number = self._number
        self._send({"id": number, "method": method, "params": given})
        while True:
            told = self._answers.get(timeout=_TIMEOUT_S)
            if told.get("id") == number and "method" not in told:
                return told.get("result")
            if "id" in told and "method" in told:
                count = len(told.get("params", {}).get("items", ()))
                self._send({"id": told["id"], "result": [None] * count if count else None})

    def notify(self, method: str, given: dict) -> None:
        """Tell the server something."""
        self._send({"method": method, "params": given})

    def _send(self, message: dict) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        stream = self._process.stdin
        assert stream is not None
        stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        stream.flush()

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while line := stream.readline():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
                while stream.readline().strip():
                    pass
                self._answers.put(json.loads(stream.read(length)))


def renames(root: Path, count: int | None, seed: int) -> list[dict]:
    """The places of renames of public top-level symbols whose name is declared once.

    Args:
        root: The folder.
        count: How many to draw; None: all.
        seed: Of the draw.
    """
    entries = _declared(root)
    random.Random(seed).shuffle(entries)
    with LanguageServer(root) as server:
        for path in sorted(root.rglob("*.py")):
            server.open(path)
        for entry in entries[:count]:
            path = root / entry["path"]
            found = server.rename(path, entry["line"] - 1, entry["column"], "renamed_1")
            texts: dict[Path, list[str]] = {}
            entry["places"], entry["of"] = [], len(entries)
            for where, line, column in found:
                lines = texts.setdefault(where, where.read_bytes().decode().split("\n"))
                rest = lines[line].encode("utf-16-le")[2 * column :].decode("utf-16-le")
                if rest.startswith(entry["name"]) and where.is_relative_to(root):
                    entry["places"].append([str(where.relative_to(root)), line + 1, column + 1])
    return [entry for entry in entries[:count] if entry["places"]]


def errors(root: Path) -> list[str]:
    """The errors of pyright's checker: path, line and rule."""
    script = node_folder() / "node_modules" / "pyright" / "index.js"
    done = subprocess.run(
        ["node", "--max-old-space-size=3072", str(script), "--outputjson", "-p", str(root)],
        stdout=subprocess.PIPE,
        check=False,
        timeout=_TIMEOUT_S,
        stdin=subprocess.DEVNULL,
        cwd=root,
    )
    return [
        f"{Path(one['file']).resolve().relative_to(root.resolve())}:"
        f"{one['range']['start']['line'] + 1} {one.get('rule', 'syntax')}"
        for one in json.loads(done.stdout)["generalDiagnostics"]
        if one["severity"] == "error"
    ]


def _declared(root: Path) -> list[dict]:
    """The public functions, classes and constants at the top of modules, declared once."""
    found, count = [], dict[str, int]()
    for path in sorted(root.rglob("*.py")):
        tree = ast.parse(path.read_bytes())
        for node in ast.walk(tree):
            for name in _names(node):
                count[name] = count.get(name, 0) + 1
        lines = path.read_bytes().decode().split("\n")
        for node in tree.body:
            for name in _names(node):
                line = lines[node.lineno - 1]
                column = line.find(name, node.col_offset)
                where = str(path.relative_to(root))
                entry = {"name": name, "path": where, "line": node.lineno, "column": column}
                found.append(entry)
    return [e for e in found if count[e["name"]] == 1 and not e["name"].startswith("_")]


def _names(node: ast.AST) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else []
    targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _path(uri: str) -> Path:
    return Path(unquote(urlsplit(uri).path))
