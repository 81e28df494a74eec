"""A server that sends without an end, or a little that becomes much, fills no memory."""

import asyncio
import gzip
import importlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from asking import ask

from ipuaro_jupyter.errors import ModelError
from ipuaro_jupyter.llm import LlmSettings, bounded_responses
from ipuaro_jupyter.llm.bounded_responses import TooMuchSentError, ask_plain, bound, count
from ipuaro_jupyter.llm.open_model import open_model


class _Handler(BaseHTTPRequestHandler):
    """Answers everything with a status, headers and parts."""

    status, headers_sent, parts = 200, (), ()
    asked = None

    def do_GET(self):
        type(self).asked = dict(self.headers)
        self.send_response(self.status)
        for name, value in self.headers_sent:
            self.send_header(name, value)
        self.end_headers()
        try:
            for part in self.parts:
                self.wfile.write(part)
        except OSError:
            self.close_connection = True  # the client has enough

    do_POST = do_GET  # noqa: N815 - the name of the base

    def log_message(self, *_):
        pass


@pytest.fixture
def server(monkeypatch):
    """Return a function that starts a server with an answer, and its address."""
    monkeypatch.setattr(bounded_responses, "LINE_BYTES", 5_000)
    monkeypatch.setattr(bounded_responses, "REPLY_BYTES", 20_000)
    monkeypatch.setattr(bounded_responses, "ERROR_BYTES", 3_000)
    started = []

    def start(*parts, status=200, **headers):
        handler = type("Handler", (_Handler,), {"status": status, "parts": parts})
        handler.headers_sent = [(key.replace("_", "-"), value) for key, value in headers.items()]
        started.append(ThreadingHTTPServer(("127.0.0.1", 0), handler))
        threading.Thread(target=started[-1].serve_forever, args=(0.02,), daemon=True).start()
        return f"http://127.0.0.1:{started[-1].server_port}", handler

    yield start
    for one in started:
        one.shutdown()
        one.server_close()


@pytest.fixture(params=["httpx", "httpx2"])
def read(request):
    """Return a function that reads a response as our clients do."""
    package = importlib.import_module(request.param)

    async def read_all(url, method):
        hooks = {"request": [ask_plain], "response": [bound]}
        async with package.AsyncClient(event_hooks=hooks, trust_env=False) as client:
            return (await client.request(method, url)).content

    return lambda url, method="POST": asyncio.run(read_all(url, method))


def test_a_response_within_the_limits_is_read(server, read):
    url, handler = server(b"a\n" * 2_000, b"b" * 4_000)
    assert read(url) == b"a\n" * 2_000 + b"b" * 4_000
    assert handler.asked["Accept-Encoding"] == "identity"


@pytest.mark.parametrize("parts", [[b"x" * 4_000] * 2, [b"\n" + b"x" * 4_000, b"x" * 2_000]])
def test_a_line_ends(server, read, parts):
    with pytest.raises(TooMuchSentError, match="a line of it"):
        read(server(*parts)[0])


def test_a_reply_ends(server, read):
    with pytest.raises(TooMuchSentError, match="it has more bytes"):
        read(server(*[b"x" * 999 + b"\n"] * 40)[0])


def test_of_an_error_the_beginning_is_read(server, read):
    url, _ = server(*[b"x" * 999 + b"\n"] * 1_000, status=500)
    assert len(read(url)) == 3_000


def test_events_may_come_for_ever(server, read):
    url, _ = server(*[b"data: 1\n\n"] * 5_000, Content_Type="text/event-stream")
    assert len(read(url, "GET")) == 45_000
    with pytest.raises(TooMuchSentError):
        read(url)  # the reply to a question ends


def test_what_is_compressed_is_not_unpacked(server, read):
    url, _ = server(gzip.compress(b"x" * 10_000_000), Content_Encoding="gzip")
    with pytest.raises(TooMuchSentError, match="compressed"):
        read(url)


@pytest.mark.parametrize("kind", ["openai:qwen", "qwen3:8b"])
@pytest.mark.parametrize("status", [200, 500])
def test_a_model_error_tells_of_it(server, tmp_path, kind, status):
    url, _ = server(gzip.compress(b"x" * 10_000_000), status=status, Content_Encoding="gzip")
    model = open_model(kind, LlmSettings(host=url), tmp_path)
    with pytest.raises(ModelError, match="compressed"):
        ask(model)
    model.close()


@pytest.mark.parametrize(
    ("told", "taken"), [(7, 7), (None, 0), (-1, 0), ("7", 0), (7.5, 0), (10**4000, 0)]
)
def test_counts_are_sane(told, taken):
    assert count(told) == taken
