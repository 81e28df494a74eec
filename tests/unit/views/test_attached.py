"""What mentions have attached, above an answer."""

from ipuaro_jupyter.records.chat import Attachment
from ipuaro_jupyter.views import attached

FILE = Attachment(mention="@a<b>.ts", title="a<b>.ts", text="x < 1\n\x1b[31mred")
UNKNOWN = Attachment(mention="@c.ts", problem="there is no such file or folder; close: @d.ts.")


def test_text_and_html_tell_the_same_and_escape_it():
    lines = attached.text([FILE, UNKNOWN])
    assert lines == (
        "Attached: a<b>.ts\nNot attached: @c.ts: there is no such file or folder; close: @d.ts."
    )
    html = attached.html([FILE, UNKNOWN])
    assert "Attached: a&lt;b&gt;.ts" in html
    assert "x &lt; 1" in html
    assert "\x1b" not in html
    assert "Not attached: @c.ts" in html
