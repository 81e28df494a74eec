"""How well a model answered questions: a table, and what makes the best way the usual one."""

import json

from ipuaro_jupyter.records.fitted import FitReport
from ipuaro_jupyter.views import table
from ipuaro_jupyter.views.markup import element, escape, visible

STYLES = table.STYLES


def text(report: FitReport) -> str:
    """The table, and the settings of the best way."""
    return "\n\n".join(part for part in (table.text(report.table()), _settings(report)) if part)


def html(report: FitReport) -> str:
    """The same as HTML without its styles."""
    told = _settings(report)
    note = element("p", escape(told), class_="ipuaro-note") if told else ""
    return table.html(report.table()) + note


def _settings(report: FitReport) -> str:
    values = report.settings()
    if not values:
        return ""
    return visible(f"The settings of the best way: {json.dumps(values, ensure_ascii=False)}")
