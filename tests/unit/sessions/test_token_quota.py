"""Tokens are counted by the user and the day, whichever kernel takes them."""

import threading
from datetime import datetime, timedelta

import psutil
import pytest

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.records.chat import Usage
from ipuaro_jupyter.sessions.token_quota import TokenQuota
from ipuaro_jupyter.store.connection import StoreSettings, connect
from ipuaro_jupyter.store.keys import tokens_key

_SPENT = Usage(prompt_tokens=90, completion_tokens=10)


@pytest.fixture
def fresh(start_redis):
    """A store of the test alone: what is counted is not a project's."""
    url, process = start_redis
    opened = connect(StoreSettings(url=url))
    yield opened
    del process
    opened.close()


def _key(days_ago=0):
    day = datetime.now().astimezone() - timedelta(days=days_ago)
    return tokens_key(psutil.Process().username(), f"{day:%Y-%m-%d}")


def test_nothing_is_counted_without_a_limit(fresh):
    quota = TokenQuota(fresh, None, "")
    quota.spend(_SPENT)
    assert (quota.used, quota.reached(), quota.status()) == (0, "", "")
    assert list(fresh.scan("*tokens*")) == []


def test_what_is_used_is_told_with_who_set_the_limit_and_when_it_ends(fresh):
    quota = TokenQuota(fresh, 150, "/etc/ipuaro/settings.json")
    quota.check()
    quota.spend(_SPENT)
    assert quota.status().startswith("100 of 150 (llm.maxTokensPerDay in /etc/ipuaro/settings.json")
    quota.check()
    quota.spend(_SPENT)
    tomorrow = datetime.now().astimezone() + timedelta(days=1)
    with pytest.raises(SettingsError) as raised:
        quota.check()
    assert str(raised.value) == (
        "Today's tokens are used up: 200 of 150 (llm.maxTokensPerDay in "
        f"/etc/ipuaro/settings.json). They count anew from 00:00 on {tomorrow:%Y-%m-%d}."
    )


def test_all_kernels_count_together_and_none_is_lost(fresh):
    quotas = [TokenQuota(fresh, 10**9, "x") for _ in range(4)]

    def spend(quota):
        for _ in range(50):
            quota.spend(_SPENT)

    threads = [threading.Thread(target=spend, args=[quota]) for quota in quotas]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {quota.used for quota in quotas} == {4 * 50 * 100}


def test_each_day_counts_anew_and_the_counts_expire(fresh):
    fresh.hset(_key(days_ago=1), {"tokens": b"1000"})
    quota = TokenQuota(fresh, 150, "x")
    assert quota.used == 0
    quota.spend(_SPENT)
    left_ms = fresh.evaluate("return redis.call('PTTL', KEYS[1])", _key())
    assert 86_400_000 < left_ms <= 2 * 86_400_000


def test_a_server_that_has_gone_is_for_the_turn_to_tell(fresh, start_redis):
    quota = TokenQuota(fresh, 1, "x")
    quota.spend(_SPENT)
    assert quota.reached()
    start_redis[1].kill()
    start_redis[1].wait(10)
    quota.spend(_SPENT)
    assert quota.reached() == ""


@pytest.mark.parametrize("harm", [None, b"\xff", b" 5", b"05", b"1" * 30])
def test_a_count_that_cannot_be_read_begins_anew_and_is_told(fresh, harm):
    quota = TokenQuota(fresh, 150, "x")
    quota.spend(_SPENT)
    fresh.delete(_key())
    if harm is None:
        fresh.set(_key(), b"x")
    else:
        fresh.hset(_key(), {"tokens": harm})
    assert quota.status().startswith("0 of 150")
    assert len(fresh.take_losses()) == 1
    quota.spend(_SPENT)
    assert quota.used == 100
