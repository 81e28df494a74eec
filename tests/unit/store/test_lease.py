"""A lock that is renewed while its holder lives and compared before anything is written."""

import subprocess
import sys
import textwrap

import pytest
from waiting import until

from ipuaro_jupyter.store.batch import Batch
from ipuaro_jupyter.store.lease import Lease, LeaseLostError

KEY = "ipuaro:test:lease"
LEFT_MS = "return redis.call('PTTL', KEYS[1])"
LIVE_ON = "return redis.call('PEXPIRE', KEYS[1], ARGV[1])"


@pytest.fixture
def lease(store):
    """Return a function that makes a lease of one key, which is gone afterwards."""
    made = []

    def make(life_s=10.0):
        made.append(Lease(store, KEY, life_s=life_s))
        return made[-1]

    yield make
    for each in made:
        each.release()
    store.delete(KEY)


def test_one_holds_it_until_it_is_released(lease):
    first, second = lease(), lease()
    assert first.take()
    assert not second.take()
    first.release()
    assert second.take()
    second.check()


@pytest.mark.parametrize("store", ["embedded"], indirect=True)  # waiting takes its time
def test_it_is_renewed_beyond_its_life(lease, store):
    holder = lease(life_s=6.0)
    assert holder.take()
    store.evaluate(LIVE_ON, KEY, 60_000)
    until(lambda: store.evaluate(LEFT_MS, KEY) <= 6000)
    holder.check()


def test_what_another_holds_is_neither_renewed_nor_released(lease, store):
    holder = lease()
    assert holder.take()
    store.set(KEY, b"another")
    with pytest.raises(LeaseLostError):
        holder.check()
    holder.release()
    assert store.get(KEY) == b"another"


def test_a_batch_is_written_only_while_it_is_held(lease, store):
    holder = lease()
    assert holder.take()
    with holder.batch() as batch:
        batch.set(f"{KEY}:a", b"1")
    assert store.get(f"{KEY}:a") == b"1"
    late = holder.batch()
    late.__enter__().set(f"{KEY}:a", b"2")
    store.delete(KEY)
    with pytest.raises(LeaseLostError):
        late.__exit__(None, None, None)
    assert store.get(f"{KEY}:a") == b"1"
    store.delete(f"{KEY}:a")


def test_commands_are_sent_only_while_a_key_has_a_value(store):
    batch = Batch()
    batch.delete(KEY)
    assert not store.send_while(KEY, b"mine", batch)
    store.set(KEY, b"another")
    assert not store.send_while(KEY, b"mine", batch)
    assert store.exists(KEY)
    store.set(KEY, b"mine")
    assert store.send_while(KEY, b"mine", batch)
    assert not store.exists(KEY)


@pytest.mark.parametrize("store", ["embedded"], indirect=True)  # waiting takes its time
def test_it_is_free_again_when_the_holder_was_killed(lease, store):
    program = textwrap.dedent(
        f"""
        import time
        from ipuaro_jupyter.store.connection import StoreSettings, connect
        from ipuaro_jupyter.store.lease import Lease
        assert Lease(connect(StoreSettings(url={store.url!r})), {KEY!r}, life_s=4.0).take()
        print("held", flush=True)
        time.sleep(60)
        """
    )
    holder = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    with holder.stdout:
        assert holder.stdout.readline() == b"held\n"
    mine = lease()
    assert not mine.take()
    holder.kill()
    holder.wait()
    until(mine.take)
