import pytest
from shells import cells, notebook, one_shell

from ipuaro_jupyter.agent.redaction import Redaction
from ipuaro_jupyter.notebook.kernel.cells import RunCells
from ipuaro_jupyter.notebook.kernel.open_kernel import kernel_of

__all__ = ["cells", "notebook", "one_shell"]


@pytest.fixture
def inspect(notebook, cells):
    """Return a function that runs a cell and describes a value."""
    assistant = notebook({})

    def described(code, name):
        cells.run(code)
        return assistant.call("inspect_value", {"name": name}, by_user=False)

    return described


def test_the_documented_fields(inspect):
    found = inspect("orders = {'a': [1, 2], 'b': None}", "orders")
    assert found.to_dict()["output"] == {
        "name": "orders",
        "type": "dict",
        "length": 2,
        "dtypes": [],
        "head": ["'a': [1, 2]", "'b': None"],
        "note": "",
    }
    assert found.text() == "orders: dict, length 2\n  'a': [1, 2]\n  'b': None"
    assert found.output.shape().title == "orders: dict, length 2"


def test_an_array_has_a_shape_and_a_type(inspect):
    pytest.importorskip("numpy")
    text = inspect("import numpy as np\ngrid = np.zeros((3, 4))", "grid").text()
    assert text.startswith("grid: numpy.ndarray, shape (3, 4), dtype float64\n  0.0, 0.0")


def test_a_table_has_its_columns(inspect):
    pytest.importorskip("pandas")
    code = "import pandas as pd\nframe = pd.DataFrame({'n': range(100), 's': 'x'})"
    text = inspect(code, "frame").text()
    assert text.startswith("frame: pandas.DataFrame, shape (100, 2), dtypes n int64, s ")
    assert "  n: 0, 1, 2, 3, 4 …" in text


def test_a_path_leads_to_what_is_stored(inspect):
    code = "class Order: pass\norder = Order()\norder.items = [{'sku': 'A1'}]"
    assert inspect(code, "order.items[0]['sku']").output.described.head == (
        "order.items[0]['sku'] = 'A1'",
    )


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("ordr", "no name 'ordr'"),
        ("order.total", "nothing is stored under 'total'"),
        ("order.items[7]", "there are 1"),
        ("order.items[0]['x']", "no such key"),
        ("order.items()", "is no name of the kernel"),
        ("order.items[", "is no name of the kernel"),
        ("len(order)", "is no name of the kernel"),
        ("order.items[0:1]", "is no name of the kernel"),
    ],
)
def test_what_is_not_stored_is_said(inspect, path, said):
    code = "class Order:\n    total = property(lambda self: 1 / 0)\n"
    code += "order = Order()\norder.items = [{'sku': 'A1'}]"
    assert said in inspect(code, path).error.message


@pytest.mark.parametrize(
    "command",
    [
        ["mysql", "--password", "hT7kQ2vXz9"],
        ["mysql", "-u", "root", "-phT7kQ2vXz9"],
        ("curl", "-u", "app:hT7kQ2vXz9", "https://example.org"),
        ["tool", "--token", "hT7kQ2vXz9LmP4wR"],
    ],
)
def test_an_option_tells_of_the_secret_behind_it(one_shell, command):
    """Each word alone is none."""
    one_shell.user_ns["command"] = command
    kernel = kernel_of(one_shell, RunCells(one_shell), Redaction(b"k" * 16).text)
    for path in ("command", *(f"command[{number}]" for number in range(len(command)))):
        head = f"{kernel.value(path).head}"
        assert "hT7k" not in head
        assert "[redacted:" in head


def test_words_without_a_secret_are_shown_one_by_one(inspect):
    text = inspect("words = ['ls', '-l', 'src']", "words").text()
    assert text.endswith("words[1] = '-l'\n  words[2] = 'src'")
