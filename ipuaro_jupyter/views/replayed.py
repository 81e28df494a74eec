"""A replay: each call and, where its result differs, the difference."""

from ipuaro_jupyter.records.outputs import Diff
from ipuaro_jupyter.records.replayed import ReplayedCall, ReplayReport
from ipuaro_jupyter.views import call as call_view
from ipuaro_jupyter.views import diff
from ipuaro_jupyter.views.markup import counted, element, escape, scrolling, visible

STYLES = ("table", "code", "diff")
FOLD_ROWS = 20
_SIGNS = {"same": "=", "differs": "\u2260", "missing": "\u2212", "added": "+", "not compared": "?"}


def text(report: ReplayReport) -> str:
    """A summary, a line for each call, and the differences."""
    told = [_title(report)]
    for one in report.calls:
        called = f"{_number(one)} {call_view.line(one.call)}"
        told.append(f"{_SIGNS[one.outcome]} {called}: {one.outcome}")
        if one.differs:
            told += [f"    {line}" for line in diff.text(_diff(one)).splitlines()]
    told += [f"{_SIGNS['differs']} {visible(line)}" for line in report.endings]
    return "\n".join([*told, *_notes(report)])


def html(report: ReplayReport) -> str:
    """The same as HTML without its styles: a table of the calls, then the differences."""
    head = "".join(element("th", word, scope="col") for word in ("Call", "Tool", "Outcome"))
    rows = "".join(_row(one) for one in report.calls)
    caption = element("caption", element("strong", escape(_title(report))))
    table = element("table", caption, element("thead", element("tr", head)), element("tbody", rows))
    if len(report.calls) > FOLD_ROWS:
        table = scrolling(table, label="Calls")
    differing = "".join(
        element("div", diff.html(_diff(one)), class_="ipuaro-edited")
        for one in report.calls
        if one.differs
    )
    endings = "".join(
        element("p", f"{_SIGNS['differs']} {escape(line)}", class_="ipuaro-bad")
        for line in report.endings
    )
    notes = "".join(element("p", escape(line), class_="ipuaro-note") for line in _notes(report))
    return table + differing + endings + notes


def _row(one: ReplayedCall) -> str:
    tone = "ipuaro-bad" if one.differs else "ipuaro-good" if one.outcome == "same" else None
    sign = element("span", _SIGNS[one.outcome], class_=tone, aria_hidden="true")
    return element(
        "tr",
        element("th", escape(_number(one)), scope="row"),
        element("td", element("code", escape(call_view.line(one.call)))),
        element("td", f"{sign} {escape(one.outcome)}"),
    )


def _title(report: ReplayReport) -> str:
    place = f"in {report.project}" if report.in_place else f"in a copy of {report.project}"
    told = counted(report.differences, "difference") if report.differences else "no difference"
    messages, calls = counted(report.messages, "question"), counted(len(report.calls), "tool call")
    name = visible(report.notebook)
    return f"{name}, replayed {visible(place)}: {messages}, {calls}, {told}"


def _number(one: ReplayedCall) -> str:
    return f"{one.turn}.{one.number}"


def _diff(one: ReplayedCall) -> Diff:
    title = f"{_number(one)} {one.call.name}: recorded (\u2212) and replayed (+)"
    return Diff(title=title, path=one.call.name, old=one.recorded or "", new=one.replayed or "")


def _notes(report: ReplayReport) -> list[str]:
    if not report.restored:
        return []
    listed = ", ".join(report.restored)
    return [visible(f"Put back to what the session had found, in the copy: {listed}")]
