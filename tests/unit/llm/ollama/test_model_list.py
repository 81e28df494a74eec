"""A server of this machine is asked for its models without the package, and another with it."""

import socket
import socketserver
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, suppress

import pytest
from waiting import become

from ipuaro_jupyter.errors import Cancelled, ModelError
from ipuaro_jupyter.llm import LlmSettings
from ipuaro_jupyter.llm.ollama import OllamaModel
from ipuaro_jupyter.llm.ollama.model_list import LocalServer
from ipuaro_jupyter.llm.ollama.ollama_connection import OllamaConnection
from ipuaro_jupyter.llm.streaming import Silence

NAMES = b'{"models": [{"model": "a"}, {"name": "b"}]}'
CHECK = """
import sys
from ipuaro_jupyter.errors import ModelError
from ipuaro_jupyter.llm import LlmSettings
from ipuaro_jupyter.llm.ollama import OllamaModel
model = OllamaModel(LlmSettings(host=sys.argv[1], model="a"))
try:
    print(*model.models())
except ModelError as error:
    print(error)
model.close()
print(sorted({"httpx", "ollama"} & set(sys.modules)))
"""


def checked(host):
    """Return what a fresh process says of a server's models, and which packages it imported."""
    run = [sys.executable, "-c", CHECK, host]
    done = subprocess.run(run, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout.splitlines()


@pytest.fixture
def raw_server():
    """Return how to start a server that answers each request with the same bytes; its address.

    ``stays`` says by the request's head whether it then waits for the client to close.
    """

    def serve(answer, *, stays=lambda _: False):
        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                head = list(iter(lambda: self.rfile.readline().strip().lower(), b""))
                self.wfile.write(answer)
                if stays(head):
                    self.rfile.read()

        server = ending.enter_context(socketserver.TCPServer(("127.0.0.1", 0), Handler))
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        ending.callback(thread.join)
        ending.callback(server.shutdown)
        return f"http://127.0.0.1:{server.server_address[1]}"

    with ExitStack() as ending:
        yield serve


@pytest.mark.parametrize(
    ("host", "name", "port", "path"),
    [
        ("localhost", "localhost", 11434, ""),
        ("127.0.0.1:8000/behind/", "127.0.0.1", 8000, "/behind"),
        ("http://localhost", "localhost", 80, ""),
        ("http://[::1]:8000", "::1", 8000, ""),
        ("[::1]", "::1", 11434, ""),
        ("http://somebody@127.0.0.1:8000", "127.0.0.1", 8000, ""),
    ],
)
def test_an_address_of_this_machine_is_read_as_the_package_reads_it(host, name, port, path):
    assert LocalServer.at(host) == (name, port, path)


@pytest.mark.parametrize(
    "host",
    [
        "https://localhost",
        "http://ollama.example:11434",
        "ftp://localhost",
        "http://[",
        "x:y",
        "localhost.evil.example",
        "127.evil.example",
        "localhost..",
    ],
)
def test_another_address_is_left_to_the_package(host):
    assert LocalServer.at(host) is None


def test_a_key_is_left_to_the_package(monkeypatch):
    monkeypatch.setenv("OLLAMA_API_KEY", "secret")
    assert LocalServer.at("localhost") is None


def test_the_models_are_listed_without_the_package(ollama_server):
    ollama_server.add_model("b")
    ollama_server.add_model("a")
    *_, names, imported = checked(ollama_server.url)
    assert "a:latest b:latest" in names
    assert imported == "[]"


def test_a_server_that_does_not_answer_is_told_without_the_package(unused_host):
    said, imported = checked(unused_host)
    assert f"does not answer at {unused_host}: run `ollama serve`" in said
    assert imported == "[]"


def test_what_is_no_list_of_models_is_told_by_the_package(raw_server):
    url = raw_server(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]")
    model = OllamaModel(LlmSettings(host=url))
    with pytest.raises(ModelError, match="is not Ollama"):
        model.models()
    model.close()


def test_an_answer_ends_with_its_length_or_with_the_connection(raw_server):
    head = b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n"
    for length in (b"", b"content-length: %d\r\n" % len(NAMES)):
        model = OllamaModel(LlmSettings(host=raw_server(head + length + b"\r\n" + NAMES)))
        assert model.models() == ("a",)
        model.close()


@pytest.mark.parametrize(
    "answer", [b"", b"HTTP/1.0 200 OK\r\n\r\n{", b"HTTP/1.0 200 OK\r\ncontent-length: 9\r\n\r\n{}"]
)
def test_an_answer_that_breaks_off_is_asked_for_again_and_told(raw_server, answer):
    model = OllamaModel(LlmSettings(host=raw_server(answer)))
    with pytest.raises(ModelError):
        model.models()
    model.close()


def test_a_name_that_only_begins_like_this_machine_is_asked_over_the_proxy(raw_server, monkeypatch):
    for variable in ("NO_PROXY", "no_proxy", "OLLAMA_HOST"):
        monkeypatch.delenv(variable, raising=False)
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(NAMES) + NAMES
    monkeypatch.setenv("HTTP_PROXY", raw_server(answer))
    model = OllamaModel(LlmSettings(host="http://localhost.evil.invalid"))
    assert model.models() == ("a",)
    model.close()


def test_a_server_that_would_keep_the_connection_is_asked_to_close_it(raw_server):
    url = raw_server(
        b"HTTP/1.1 200 OK\r\n\r\n" + NAMES, stays=lambda head: b"connection: close" not in head
    )
    *_, names, imported = checked(url)
    assert names == "a"
    assert imported == "[]"


def test_an_answer_in_chunks_is_left_to_the_package(raw_server):
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(NAMES), NAMES)
    model = OllamaModel(LlmSettings(host=raw_server(head + chunks, stays=lambda _: True)))
    assert model.models() == ("a",)
    model.close()


@pytest.mark.parametrize(
    "host",
    ["localhost..", "localhost" + "a" * 70, "localhost\0", "127.0.0.1\0", f"[::1%{'a' * 70}]"],
    ids=["no label", "long label", "NUL", "NUL after a number", "long zone"],
)
def test_a_name_that_cannot_be_looked_up_is_told(host):
    model = OllamaModel(LlmSettings(host=host))
    with pytest.raises(ModelError) as caught:
        model.models()
    assert host in str(caught.value) or repr(host) in str(caught.value)
    model.close()


def test_an_answer_that_is_nested_too_deep_is_told(raw_server):
    model = OllamaModel(LlmSettings(host=raw_server(b"HTTP/1.0 200 OK\r\n\r\n" + b"[" * 100_000)))
    with pytest.raises(ModelError, match="is not Ollama"):
        model.models()
    model.close()


@pytest.fixture
def dripping_server():
    """The address of a server that answers for ever, a letter at a time; how it begins is given."""

    def serve(head):
        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                self.request.sendall(head)
                with suppress(OSError):
                    while not ended.wait(0.02):
                        self.request.sendall(b" ")

        server = ending.enter_context(socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler))
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        ending.callback(thread.join)
        ending.callback(server.shutdown)
        ending.callback(ended.set)
        return f"http://127.0.0.1:{server.server_address[1]}"

    ended = threading.Event()
    with ExitStack() as ending:
        yield serve


def others_have_ended(before):
    """Whether the threads that were not there before end within a few seconds."""
    return become(lambda: set(threading.enumerate()) <= before)


@pytest.mark.parametrize("head", [b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\n\r\n"])
def test_the_time_is_that_of_the_whole_answer_and_nothing_goes_on_after_it(dripping_server, head):
    url = dripping_server(head)
    connection = OllamaConnection(url, connect_s=5)
    before = set(threading.enumerate())
    began = time.monotonic()
    with pytest.raises(Silence):
        connection.local_models(within_s=0.3)
    assert time.monotonic() - began < 5
    connection.close()
    assert others_have_ended(before | {t for t in threading.enumerate() if "process" in t.name})


def test_a_listing_ends_when_the_connection_is_closed(dripping_server):
    connection = OllamaConnection(dripping_server(b"HTTP/1.1 200 OK\r\n\r\n"), connect_s=5)
    closing = threading.Timer(0.3, connection.close)
    closing.start()
    with pytest.raises(Cancelled):
        connection.local_models(within_s=60)
    closing.join()


def test_an_answer_that_is_too_long_to_be_a_list_is_left_to_the_package(raw_server):
    long = NAMES[:-1] + b" " * 8_000_000 + NAMES[-1:]
    connection = OllamaConnection(raw_server(b"HTTP/1.0 200 OK\r\n\r\n" + long), connect_s=5)
    assert connection.local_models(within_s=60) is None
    connection.close()


@pytest.mark.parametrize("status", [b"404 Not Found", b"302 Found", b"500 Internal Server Error"])
def test_an_answer_that_is_not_good_is_left_to_the_package(raw_server, status):
    connection = OllamaConnection(
        raw_server(b"HTTP/1.0 " + status + b"\r\n\r\n" + NAMES), connect_s=5
    )
    assert connection.local_models(within_s=60) is None
    connection.close()


@pytest.mark.skipif(not socket.has_ipv6, reason="this machine has no IPv6")
def test_a_server_is_asked_at_an_address_of_ipv6():
    heads = []

    class Server(socketserver.TCPServer):
        address_family = socket.AF_INET6

    class Handler(socketserver.StreamRequestHandler):
        def handle(self):
            heads.extend(iter(lambda: self.rfile.readline().strip().lower(), b""))
            self.wfile.write(b"HTTP/1.0 200 OK\r\n\r\n" + NAMES)

    with Server(("::1", 0), Handler) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        port = server.server_address[1]
        connection = OllamaConnection(f"http://[::1]:{port}", connect_s=5)
        assert connection.local_models(within_s=60) == ("a",)
        connection.close()
        thread.join()
    assert b"host: [::1]:%d" % port in heads
