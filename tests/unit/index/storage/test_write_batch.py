"""The values of a very large project are compressed, and read as any others."""

import pytest

from ipuaro_jupyter.index.storage import write_batch

SOURCE = "".join(
    f"export function total{n}(price: number) {{ return price * {n} }}\n" for n in range(60)
)


@pytest.fixture
def many(make_project):
    """Return a project whose values are worth compressing."""
    uses = "import { total1 } from './a'\n" + SOURCE.replace("total", "sum")
    return make_project({"a.ts": SOURCE, "b.ts": uses + "sum1(total1(2))\n"})


def stored_bytes(index):
    """Return the length of all values of the index."""
    stored = index._stored
    keys = stored.key_names[:-1]
    return sum(len(value) for key in keys for value in stored.store.hgetall(key).values())


def test_compressed_values_take_less_and_say_the_same(many, open_index, contents, monkeypatch):
    index = open_index(many)
    index.refresh(full=True)
    plain, size = contents(index), stored_bytes(index)
    monkeypatch.setattr(write_batch, "_VERY_MANY_FILES", 2)
    index.refresh(full=True)
    assert contents(index) == plain
    assert stored_bytes(index) < 0.6 * size
    assert len(index.references("total1")) == 3


def test_a_project_may_grow_and_shrink_past_the_limit(many, open_index, contents, monkeypatch):
    index = open_index(many)
    index.refresh()
    for limit, text in ((2, "export const late = total2\n"), (3, "export const later = 1\n")):
        monkeypatch.setattr(write_batch, "_VERY_MANY_FILES", limit)
        (many / "a.ts").write_text(SOURCE + text)
        index.refresh()
        by_and_by = contents(index)
        index.refresh(full=True)
        assert contents(index) == by_and_by
