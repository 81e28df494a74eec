"""An evaluated answer: the findings as a table, the model's review below."""

from ipuaro_jupyter.records.evaluation import Evaluation
from ipuaro_jupyter.views import table
from ipuaro_jupyter.views.markup import element, escape, visible
from ipuaro_jupyter.views.prose import markdown

STYLES = (*table.STYLES, *markdown.STYLES, "answer")


def text(evaluation: Evaluation) -> str:
    """The findings, and the review in its Markdown."""
    parts = [table.text(evaluation.table())]
    if evaluation.review:
        parts += [f"{_title(evaluation)}\n{visible(evaluation.review)}"]
    if evaluation.notice:
        parts.append(visible(evaluation.notice))
    return "\n\n".join(parts)


def html(evaluation: Evaluation) -> str:
    """The same as HTML without its styles."""
    review = element("div", markdown.html(evaluation.review), class_="ipuaro-answer")
    told = element("p", element("strong", escape(_title(evaluation)))) + review
    notice = element("div", escape(evaluation.notice), class_="ipuaro-box ipuaro-bad")
    return "".join(
        (
            table.html(evaluation.table()),
            told if evaluation.review else "",
            notice if evaluation.notice else "",
        )
    )


def _title(evaluation: Evaluation) -> str:
    by = f" by {visible(evaluation.model)}" if evaluation.model else ""
    return f"Review{by}, which may be wrong itself:"
