import subprocess
import sys

from ipuaro_jupyter import views
from ipuaro_jupyter.records.chat import Answer
from ipuaro_jupyter.records.outputs import Plain, TextOutput, ToolFailure, ToolResult
from ipuaro_jupyter.records.record import Drawn, Record
from ipuaro_jupyter.views.drawing import Shown, mimebundle


class Facts(Drawn, Record):
    place: str

    def __str__(self):
        return f"Place: {self.place}\nA line of its own"


def test_a_result_draws_its_shape():
    result = ToolResult(tool="t", output=TextOutput(content="c", shown=Plain(text="shown")))
    assert mimebundle(result)["text/plain"] == "shown"


def test_a_failure_says_type_message_and_suggestion():
    error = ToolFailure(type="file", message="No a.ts.", suggestion="Try b.ts.", recoverable=False)
    bundle = mimebundle(ToolResult(tool="get_lines", error=error))
    told = ["get_lines failed (file): No a.ts.", "Suggestion: Try b.ts."]
    assert bundle["text/plain"].splitlines() == told
    assert all(said in bundle["text/html"] for said in told)


def test_markdown_of_a_model_is_not_handed_to_front_ends():
    assert set(mimebundle(Answer(question="q", text="# a"))) == {"text/plain", "text/html"}


def test_any_other_record_is_a_table_of_its_text():
    bundle = mimebundle(Facts(place="<here>"))
    assert bundle["text/plain"] == "Place: <here>\nA line of its own"
    assert '<th scope="row">Place</th><td>&lt;here&gt;</td>' in bundle["text/html"]


def test_installing_gives_records_their_rich_form():
    views.install()
    assert "text/html" in Facts(place="x")._repr_mimebundle_()


def test_a_shape_can_be_shown_by_itself():
    shown = Shown(Plain(text="hello"))
    assert repr(shown) == "hello"
    assert "hello" in shown._repr_mimebundle_()["text/html"]


def test_installing_loads_no_view():
    code = (
        "import sys; from ipuaro_jupyter import views; views.install();"
        "print('pygments' in sys.modules, 'markdown_it' in sys.modules, 'IPython' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "False"]
