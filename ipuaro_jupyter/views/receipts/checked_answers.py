"""The answers of a saved notebook, and which of them no longer hold."""

from ipuaro_jupyter.records.checked_answers import CheckedAnswer, CheckedAnswers
from ipuaro_jupyter.views.markup import counted, element, escape, visible

STYLES = ("table", "answer")
_SIGNS = {"holds": "=", "no longer true": "\u2260", "never true": "!", "nothing to check": "?"}
_LONGEST = 80


def text(report: CheckedAnswers) -> str:
    """A line for each answer, and below it what does not hold."""
    told = [_title(report)]
    for one in report.answers:
        told.append(f"{_SIGNS[one.standing]} cell {one.cell}, {_question(one)}: {_standing(one)}")
        told += [f"    {line}" for line in one.gone]
    return visible("\n".join(told))


def html(report: CheckedAnswers) -> str:
    """The same as HTML without its styles."""
    words = ("Answer", "Question", "Standing", "What does not hold")
    head = "".join(element("th", word, scope="col") for word in words)
    caption = element("caption", element("strong", escape(_title(report))))
    rows = "".join(map(_row, report.answers))
    return element("table", caption, element("thead", element("tr", head)), element("tbody", rows))


def _row(one: CheckedAnswer) -> str:
    tone = {"no longer true": "ipuaro-bad", "holds": "ipuaro-good"}.get(one.standing)
    sign = element("span", _SIGNS[one.standing], class_=tone, aria_hidden="true")
    return element(
        "tr",
        element("th", f"cell {one.cell}", scope="row"),
        element("td", escape(_question(one))),
        element("td", f"{sign} {escape(_standing(one))}"),
        element(
            "td", "".join(element("div", escape(line)) for line in one.gone), class_="ipuaro-gone"
        ),
    )


def _title(report: CheckedAnswers) -> str:
    told = f"{report.untrue} of {counted(len(report.answers), 'answer')} no longer true"
    return visible(f"{report.notebook}, compared with {report.project} as it is: {told}")


def _question(one: CheckedAnswer) -> str:
    said = " ".join(one.question.split())
    return said if len(said) <= _LONGEST else f"{said[:_LONGEST]}\u2026"


def _standing(one: CheckedAnswer) -> str:
    return f"{one.standing} ({counted(one.checked, 'claim')})" if one.checked else one.standing
