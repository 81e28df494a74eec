"""What a worker puts together of the files that it is given at once."""

from ipuaro_jupyter.index.extract.batches import batch_of, decode_batch, parse_batch, unparsed_batch
from ipuaro_jupyter.index.storage.file_ids import unpack
from ipuaro_jupyter.index.storage.stored_index import decode_symbols

ONE = ("src/one.ts", 11, b"export const port = 1\nport + port\n")
TWO = ("src/two.ts", 0xFFFFFFFF, b"export class Ship { port() { return port } }\n")


def test_names_of_all_files_are_put_together():
    found = batch_of([ONE, TWO])
    assert unpack(found.tokens[b"port"]) == {11: 3, 0xFFFFFFFF: 2}
    assert unpack(found.tokens[b"Ship"]) == {0xFFFFFFFF: 1}
    ports = [(e.number, e.line, e.kind, e.qualified) for e in decode_symbols(found.symbols["port"])]
    assert ports == [(11, 1, "const", "port"), (0xFFFFFFFF, 1, "function", "Ship.port")]
    assert found.symbols.keys() == {"port", "Ship"}


def test_files_are_answered_in_order_and_alike_in_one_batch_and_in_two():
    found, one, two = batch_of([ONE, TWO]), batch_of([ONE]), batch_of([TWO])
    assert found.answers == [*one.answers, *two.answers]
    assert found.tokens[b"port"] == one.tokens[b"port"] + two.tokens[b"port"]
    assert found.symbols["port"] == one.symbols["port"] + two.symbols["port"]


def test_batches_are_sent_whole():
    (sent,) = parse_batch([ONE, TWO])
    assert decode_batch(sent) == batch_of([ONE, TWO])


def test_file_without_names_has_none():
    found = batch_of([("a.md", 1, b"# Text\n"), ("b.ts", 2, b""), ("c.ts", 3, b"1 + 1\n")])
    assert (found.tokens, found.symbols) == ({}, {})
    assert [answer.language for answer in found.answers] == ["markdown", "typescript", "typescript"]


def test_refused_file_has_its_reason_and_no_names():
    found = decode_batch(unparsed_batch(*ONE, reason="the parser died"))
    assert [answer.problem for answer in found.answers] == ["Not analysed: the parser died."]
    assert (found.tokens, found.symbols) == ({}, {})
