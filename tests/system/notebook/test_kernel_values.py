"""The notebook's own errors, values and cells, as the model is given them."""

import pytest

RATES = """\
RATES = {"USD": 1.0, "EUR": 0.9}


def rate(currency):
    \"\"\"The rate of a currency.\"\"\"
    return RATES[currency]
"""
ORDERS = """\
from shop.rates import rate


class Order:
    def __init__(self, amount, currency):
        self.amount = amount
        self.currency = currency

    def total(self):
        return self.amount / rate(self.currency)
"""
FAILING = """\
from shop.orders import Order
orders = [Order(5, 'USD'), Order(7, 'GBP')]
sum(o.total() for o in orders)
"""
ALLOW = {"action": "apply", "text": None}
QUESTION = "Why did the last cell fail?"


@pytest.fixture
def project(make_project):
    return make_project({"shop/rates.py": RATES, "shop/orders.py": ORDERS})


@pytest.fixture
def shop(kernel, ollama_server):
    """A kernel with the shop open, and a model server that keeps what it is asked."""
    kernel.run(f"import os; os.environ['OLLAMA_HOST'] = {ollama_server.url!r}")
    kernel.run(f"import sys; sys.path.insert(0, {str(kernel.root)!r})")
    ollama_server.add_model("coder", capabilities=["tools"])
    kernel.run("%load_ext ipuaro_jupyter")
    (kernel.root / ".ipuaro.json").write_text('{"llm": {"way": "loop"}}')
    ran = kernel.run(f"%ipuaro start {kernel.root} --model coder")
    assert ran.reply["status"] == "ok", ran.text
    return kernel


def asked(server):
    """The newest message of the latest request."""
    return server.requests[-1][1]["messages"][-1]["content"]


def test_why_a_cell_failed_is_asked_with_its_traceback(shop, ollama_server):
    assert shop.run(FAILING).types == ["error"]
    ollama_server.replies.append(["There is no rate for GBP."])
    ran = shop.run(f"%%ask\n{QUESTION}", decide=ALLOW)
    assert "The model was given the error of cell [5]." in ran.text
    told = asked(ollama_server)
    assert "KeyError: 'GBP'" in told
    places = [
        "1. shop/rates.py:6 in rate (rate, lines 4-6)",
        "2. shop/orders.py:10 in Order.total (Order.total, lines 9-10)",
        "3. cell [5], line 3 in <genexpr>",
    ]
    assert [told.index(place) for place in places] == sorted(told.index(one) for one in places)
    assert ">    6\t    return RATES[currency]" in told
    assert told.endswith(QUESTION)


def test_the_tools_read_the_kernel_after_one_question(shop, ollama_server):
    shop.run(FAILING)
    calls = [("inspect_value", {"name": "orders[1]"}), ("notebook_cells", {}), ("last_error", {})]
    made = [{"function": {"name": name, "arguments": given}} for name, given in calls]
    ollama_server.replies += [["Sure."], [{"tool_calls": made}], ["It is GBP."]]
    assert "Sure." in shop.run(f"%%ask\n{QUESTION}", decide=ALLOW).text
    ran = shop.run("%%ask\nLook at it.")
    assert "It is GBP." in ran.text
    results = [
        m["content"] for m in ollama_server.requests[-1][1]["messages"] if m["role"] == "tool"
    ]
    assert "currency = 'GBP'" in results[0]
    assert "orders = [Order(5, 'USD')" in results[1]
    assert "shop/rates.py:6" in results[2]


def test_a_rejection_holds_when_another_project_was_open_in_between(
    shop, ollama_server, make_project
):
    shop.run(FAILING)
    ollama_server.replies += [["As you like."], ["As I said."]]
    shop.run(f"%%ask\n{QUESTION}", decide={"action": "reject", "text": None})
    for root in (make_project({"a.py": "x = 1\n"}, name="other"), shop.root):
        assert shop.run(f"%ipuaro start {root} --model coder").reply["status"] == "ok"
    ran = shop.run(f"%%ask\n{QUESTION}")
    assert "As I said." in ran.text
    assert "KeyError" not in asked(ollama_server)


def test_what_the_model_is_advised_after_a_rejection_is_not_shown(shop, ollama_server):
    shop.run(FAILING)
    ollama_server.replies.append(["As you like."])
    decide = {"action": "reject", "text": None}
    ran = shop.run("%%ask\nWhat is in @cell:5?", decide=decide)
    assert "The user rejected it" in ran.text
    assert "Do not repeat it" not in ran.text


RATES_JS = """\
exports.rate = function rate(currency) {
  return { USD: { value: 1 } }[currency].value;
};
"""
RUNS = {
    "%%bash": "%%bash\ncd {root} && node run.js",
    "subprocess": "import subprocess\nsubprocess.run(['node', 'run.js'], cwd={root!r}, check=True)",
}


@pytest.fixture
def outside_pytest(monkeypatch):
    """Start what follows as a person does: under pytest, ipykernel leaves its streams alone."""
    monkeypatch.delenv("PYTEST_CURRENT_TEST")


@pytest.mark.usefixtures("outside_pytest")
@pytest.mark.parametrize("form", RUNS)
def test_the_culprit_of_a_failed_command_comes_first(shop, ollama_server, form):
    (shop.root / "rates.js").write_text(RATES_JS)
    (shop.root / "run.js").write_text("require('./rates.js').rate('GBP');\n")
    shop.run(RUNS[form].format(root=str(shop.root)))
    ollama_server.replies.append(["There is no rate for GBP."])
    ran = shop.run(f"%%ask\n{QUESTION}", decide=ALLOW)
    assert "The model was given the error of cell [" in ran.text
    told = asked(ollama_server)
    assert "\n1. rates.js:2 in " in told, told
    assert "\n2. run.js:1\n" in told
    assert "Printed: TypeError: Cannot read properties of undefined (reading 'value')" in told


def test_a_command_that_only_found_nothing_is_no_error(shop):
    shop.run("!grep nothing /dev/null")
    assert "No cell has failed" in shop.run("%tool last_error").text


def test_an_error_from_before_the_extension_was_loaded_is_known(kernel):
    kernel.run("total = 1 / 0")
    kernel.begin()
    assert "ZeroDivisionError: division by zero" in kernel.run("%tool last_error").text


def test_nobody_to_ask_gives_the_model_nothing(shop, ollama_server):
    shop.run(FAILING)
    ollama_server.replies.append(["I cannot tell."])
    ran = shop.run(f"%%ask\n{QUESTION}", allow_stdin=False)
    assert "I cannot tell." in ran.text
    assert "KeyError" not in asked(ollama_server)


def test_unloading_forgets_the_kernel(shop):
    shop.run("%unload_ext ipuaro_jupyter")
    code = "[c for c in get_ipython().events.callbacks['post_run_cell'] if 'ipuaro' in repr(c)]"
    assert shop.run(code).text == "[]"


def test_mentions_attach_the_error_a_cell_and_a_file(shop, ollama_server):
    shop.run("print('made')")
    assert shop.run(FAILING).types == ["error"]
    ollama_server.replies.append(["There is no rate for GBP."])
    question = "Why @error? See @cell:5, @shop/rates.py:4-6 and @shop/ratez.py."
    ran = shop.run(f"%%ask\n{question}", decide=ALLOW)
    assert "Attached: the error of cell [6]" in ran.text
    assert "Attached: cell [5] with its output" in ran.text
    assert "Attached: shop/rates.py lines 4-6" in ran.text
    assert "Not attached: @shop/ratez.py: there is no such file" in ran.text
    assert "@shop/rates.py" in ran.text
    told = asked(ollama_server)
    assert "KeyError: 'GBP'" in told
    assert "print('made')" in told
    assert told.endswith(question)
