"""What is missing or damaged on the server is noticed where it is read, and made anew."""

import pytest

from ipuaro_jupyter.index.storage.questions import IndexQuestion, asking
from ipuaro_jupyter.index.storage.seals import IndexDamagedError, sealed, unsealed
from ipuaro_jupyter.store.keys import Keys, project_id
from ipuaro_jupyter.workspace.files.watch import WatchSettings

PARTS = (
    *("files", "ast", "meta", "modules", "definitions", "dependencies", "dependents"),
    *("symbols", "postings", "tokens", "file_ids", "index_info"),
)
WHOLE = {
    "paths": ["README.md", "package.json", "src/gone.ts", "src/pay.ts", "src/tax.ts"],
    "definition": ["src/tax.ts"],
    "uses": 2,
    "importers": ["src/gone.ts", "src/pay.ts"],
    "todos": ["src/pay.ts"],
    "functions": ["vat"],
    "imports": ["src/tax.ts"],
    "having": ["src/pay.ts", "src/tax.ts"],
    "similar": ["vat"],
}


def answers(index):
    """Ask for something of every part."""
    return {
        "paths": index.paths(),
        "definition": [place.path for place in index.definitions("vat")],
        "uses": len(index.references("vat")),
        "importers": [node.path for node in index.imports.dependents("src/tax.ts")],
        "todos": list(index.todos()),
        "functions": [each.name for each in index.facts("src/tax.ts").functions],
        "imports": [node.path for node in index.imports.dependencies("src/pay.ts")],
        "having": index.having("vat"),
        "similar": [place.name for place in index.similar("vatt")],
    }


def gone(store, key):
    store.delete(key)


def of_another_type(store, key):
    store.delete(key)
    store.set(key, b"something else")


def without_a_field(store, key):
    store.hdel(key, store.hkeys(key)[0])


def garbled(store, key):
    store.hset(key, dict.fromkeys(store.hkeys(key), b"\xff\x00 garbage"))


def exchanged(store, key):
    """Each value is one that was written, for another field."""
    values = store.hgetall(key)
    store.hset(key, dict(zip(values, reversed(list(values.values())), strict=True)))


@pytest.fixture
def money_index(make_index, money):
    index, root = make_index(money)
    assert answers(index) == WHOLE
    return index, root


@pytest.mark.parametrize("harm", [gone, of_another_type, without_a_field, garbled, exchanged])
@pytest.mark.parametrize("part", PARTS)
def test_every_part_is_made_anew(money_index, open_index, store, part, harm):
    index, root = money_index
    right = answers(index)
    key = f"{Keys(project_id(root)).prefix}{part}"
    assert store.exists(key)
    harm(store, key)
    assert answers(index) == right
    harm(store, key)
    again = open_index(root)
    again.refresh()
    assert answers(again) == right


@pytest.mark.parametrize("part", ["tokens", "postings", "file_ids", "symbols"])
def test_a_key_that_goes_while_it_is_read_is_noticed(money_index, store, part):
    index, root = money_index
    keys = Keys(project_id(root))
    whole = index.uses("vat", limit=None).first
    lost = []

    def losing(asked):
        if not lost:
            lost.append(store.delete(getattr(keys, part)))
        return asked.uses("vat", "src", limit=None).first

    assert [one.path for one in index.ask(losing)] == [one.path for one in whole]
    assert lost == [1]
    assert len(index.uses("vat", path="src", limit=None).first) == len(whole)


@pytest.mark.parametrize("harm", [gone, of_another_type])
@pytest.mark.parametrize(
    ("part", "ask", "name"),
    [
        ("meta", lambda index: list(index.todos()), "todos"),
        (
            "ast",
            lambda index: [one.name for one in index.facts("src/tax.ts").functions],
            "functions",
        ),
        ("dependencies", lambda index: index.imports.dependencies("src/pay.ts"), "imports"),
    ],
)
def test_a_key_that_goes_within_a_question_is_noticed(money_index, store, *, harm, part, ask, name):
    index, root = money_index
    with asking(IndexQuestion()):
        index.paths()  # the disk is looked at once for a question
        harm(store, getattr(Keys(project_id(root)), part))
        assert [getattr(one, "path", one) for one in ask(index)] == WHOLE[name]


@pytest.mark.parametrize("is_watched", [False, True])
def test_what_was_lost_is_told_at_the_next_question(money_index, store, is_watched):
    index, root = money_index
    if is_watched:
        index.watch(WatchSettings())
    keys = Keys(project_id(root))
    store.hset(keys.info, {"root": b"x"})
    question = IndexQuestion()
    store.delete(keys.symbols)
    with asking(question):
        assert index.definitions("vat")
    assert question.doubts == [
        "The index was damaged on the server and has been made anew; this answer is whole."
    ]
    store.delete(*(key.decode() for key in store.scan(keys.pattern)))
    question = IndexQuestion()
    with asking(question):
        assert index.definitions("vat")
    assert question.doubts[0].startswith("The server has lost its data.")
    with asking(question := IndexQuestion()):
        assert index.definitions("vat")
    assert question.doubts == []


def test_a_loss_while_the_index_is_being_made_anew_is_told_once(money_index, store):
    index, root = money_index
    keys = Keys(project_id(root))
    store.hset(keys.info, {"root": b"x"})
    index._sync._remade()  # as a thread does that meets damage, and is then interrupted
    with asking(IndexQuestion()):
        index.summary()
    store.delete(*(key.decode() for key in store.scan(keys.pattern)))
    index._sync._look.certain = None  # the thread has not finished
    with asking(question := IndexQuestion()):
        assert index.definitions("vat")
    assert question.doubts[0].startswith("The server has lost its data.")
    store.delete(keys.symbols)
    with asking(question := IndexQuestion()):
        assert index.definitions("vat")
    assert question.doubts[0].startswith("The index was damaged on the server")


def test_what_was_lost_while_nobody_asked_is_told_later(money_index, store):
    index, root = money_index
    store.delete(Keys(project_id(root)).symbols)
    index.refresh()
    (root / "src/new.ts").write_text("export const fresh = 1\n")
    with asking(question := IndexQuestion()):
        assert index.definitions("fresh")
    assert len(question.doubts) == 1


def test_a_lock_that_never_ends_is_none(money_index, store):
    index, root = money_index
    store.set(Keys(project_id(root)).lock, b"left by something else")
    (root / "new.ts").write_text("export const fresh = 1\n")
    assert index.definitions("fresh")


def test_a_seal_is_good_for_its_field_and_value():
    value = sealed("a", b"text")
    assert unsealed(b"a", value) == b"text"
    for field, stored in (("b", value), ("a", value[:-1]), ("a", b"x" + value[1:]), ("a", b"")):
        with pytest.raises(IndexDamagedError):
            unsealed(field, stored)


def test_a_compressed_value_is_as_good():
    text = b"export const rate = 0.2\n" * 20
    value = sealed("a", text, compressed=True)
    assert len(value) < len(text) / 3
    assert unsealed("a", value) == text
    for field, stored in (("b", value), ("a", value[:-1]), ("a", b"y" + value[1:])):
        with pytest.raises(IndexDamagedError):
            unsealed(field, stored)


@pytest.mark.parametrize("text", [b"short", bytes(range(256))])
def test_what_compressing_makes_no_smaller_stays_as_it_is(text):
    assert sealed("a", text, compressed=True) == sealed("a", text)
