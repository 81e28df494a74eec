"""The report of a model that was tried."""

from ipuaro_jupyter.records.fitted import FitReport


def test_a_report_without_a_task_is_a_text():
    report = FitReport(model="small:1b", rows=(), notices=("Left out: schemas.",))
    assert report.best is None
    assert "small:1b: the first call for each task" in str(report)
    assert "No task was done." in str(report)
    assert "Left out: schemas." in str(report)
