import pytest

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled
from ipuaro_jupyter.index.storage.indexing_progress import Meter


def test_many_steps_are_few_reports_the_first_and_last_among_them():
    seen = []
    meter = Meter(seen.append)
    meter.begin("parsing", 20_000)
    for _ in range(20_000):
        meter.step()
    counts = [report.done for report in seen]
    assert (counts[0], counts[-1]) == (0, 20_000)
    assert counts == sorted(counts)
    assert len(counts) < 5000
    assert {(report.phase, report.total) for report in seen} == {("parsing", 20_000)}


def test_stop_ends_it_at_the_next_step_and_in_a_report():
    token = CancelToken()
    meter = Meter(None, token)
    meter.begin("linking", 2)
    meter.step()
    token.cancel()
    for stopped in (meter.step, meter.check, lambda: meter.begin("storing")):
        with pytest.raises(Cancelled):
            stopped()
    token = CancelToken()
    with pytest.raises(Cancelled):
        Meter(lambda _: token.cancel(), token).begin("scanning")
