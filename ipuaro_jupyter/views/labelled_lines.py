"""Any other drawn record: its text, with lines of the form "Label: value" as a table."""

from ipuaro_jupyter.views.markup import element, escape, visible

STYLES = ("table",)


def text(value: object) -> str:
    """The record's own text."""
    return "\n".join(_lines(value))


def html(value: object) -> str:
    """A table of labels and values, and the other lines below it."""
    rows, rest = "", ""
    for line in _lines(value):
        label, colon, said = line.partition(": ")
        if colon and label.replace(" ", "").isalnum():
            rows += element(
                "tr", element("th", escape(label), scope="row"), element("td", escape(said))
            )
        else:
            rest += element("p", escape(line), class_="ipuaro-note")
    table = element("table", element("tbody", rows), class_="ipuaro-facts") if rows else ""
    return table + rest


def _lines(value: object) -> list[str]:
    return visible(str(value).replace("\r\n", "\n")).splitlines()
