"""New functions, methods, classes and files that a model writes as text."""

import pytest

from ipuaro_jupyter.records.change import Decision

FEES = '''"""Fees."""

import math


def fee(weight):
    return 2 * weight


class Cart:
    """What is bought."""

    def __init__(self):
        self.weights = []

    def add(self, weight):
        self.weights.append(weight)


if __name__ == "__main__":
    print(fee(3))
'''
SHOP = """import { rate } from "./rate.js";

export class Shop {
  constructor() {
    this.open = true;
  }

  close() {
    this.open = false;
  }
}
"""
CODE = "```python\n{}\n```"
EXTRA = 'def extra(weight):\n    """What is added."""\n    return math.ceil(weight)'


@pytest.fixture
def project(make_project):
    return make_project({"fees.py": FEES, "shop.js": SHOP, "rate.js": "export const rate = 1;\n"})


@pytest.fixture
def added(turn):
    """Ask for something new; gives the answer, the model and the notices."""

    def asked(question, *replies, action="apply", reason=""):
        decision = Decision(action=action, reason=reason)
        return turn(question, *replies, confirm=lambda _: decision)

    return asked


def behind(text, before):
    """The new file where ``text`` is put in front of ``before``."""
    return FEES.replace(before, text + before)


@pytest.mark.parametrize(
    "question",
    [
        "Add a function `extra` behind `fee` that rounds up.",
        "Write a helper function extra in fees.py next to `fee`",
        "Schreib eine Funktion extra neben `fee`",
        "Добавь функцию extra после `fee`",
    ],
)
def test_a_function_follows_the_one_that_is_named(added, project, question):
    answer, model, _ = added(question, CODE.format(EXTRA))
    assert (project / "fees.py").read_text() == behind(f"\n\n{EXTRA}\n", "\n\nclass Cart")
    assert answer.text.startswith("Added `extra` at fees.py:")
    assert "It goes behind `fee` of fees.py" in model.requests[-1].messages[-1].content


def test_without_a_name_it_goes_to_the_end_of_the_declarations(added, project):
    added("Create a function extra in fees.py", CODE.format(EXTRA))
    assert (project / "fees.py").read_text() == behind(f"\n\n{EXTRA}\n", "\n\nif __name__")


CLEAR = "def clear(self):\n    self.weights.clear()"


@pytest.mark.parametrize(
    "reply",
    [
        CLEAR,
        "    " + CLEAR.replace("\n", "\n    "),
        "class Cart:\n    " + CLEAR.replace("\n", "\n    "),
        FEES.replace(
            "\n\nif __name__", "\n    " + CLEAR.replace("\n", "\n    ") + "\n\nif __name__"
        ),
    ],
    ids=["bare", "indented", "in its class", "in its file"],
)
def test_a_method_joins_its_class(added, project, reply):
    answer, *_ = added("Add a method `clear` to Cart", CODE.format(reply))
    new = "\n    " + CLEAR.replace("\n", "\n    ") + "\n"
    assert (project / "fees.py").read_text() == behind(new, "\n\nif __name__")
    assert answer.text.startswith("Added `Cart.clear`")


def test_a_method_of_an_ecmascript_class(added, project):
    reply = "```js\n/** Opens it. */\nreopen() {\n  this.open = true;\n}\n```"
    added("Add a method reopen to the class Shop", reply)
    new = "\n  /** Opens it. */\n  reopen() {\n    this.open = true;\n  }\n"
    assert (project / "shop.js").read_text() == SHOP[: -len("}\n")] + new + "}\n"


def test_imports_come_along_and_examples_of_its_use_do_not(added, project):
    reply = "import json\n\n\ndef extra(a):\n    return json.dumps(a)\n\n\ntotal = extra(1)"
    added("Add a function extra after `fee`", CODE.format(reply))
    text = (project / "fees.py").read_text()
    assert text.count("import json\nimport math\n") + text.count("import math\nimport json\n") == 1
    assert "def extra(a):\n    return json.dumps(a)\n" in text
    assert "total" not in text


def test_a_new_file_is_made(added, project):
    answer, *_ = added("Create a file rates/de.py with a function rate", CODE.format(EXTRA))
    assert (project / "rates/de.py").read_text() == f"{EXTRA}\n"
    assert answer.text == "Created rates/de.py."


def test_the_model_says_behind_what_it_goes(added, project):
    answer, model, _ = added(
        "Add a function that rounds the weight of a cart up", '["E1"]', CODE.format(EXTRA)
    )
    assert answer.text.startswith("Added `extra`")
    assert "Behind which of these" in model.requests[0].messages[-1].content
    assert "def extra" in (project / "fees.py").read_text()


def test_the_model_gives_the_path_of_a_new_file(added, project):
    answer, model, _ = added(
        "Create a new file with a function extra", '{"path": "rates/more.py"}', CODE.format(EXTRA)
    )
    assert answer.text == "Created rates/more.py."
    assert "fees.py" in model.requests[0].messages[-1].content
    assert (project / "rates/more.py").read_text() == f"{EXTRA}\n"


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("Füge eine Funktion hinzu, die Gebühren summiert.", "[]"),
        ("Create a new file with a class Parcel.", '{"path": "fees.py"}'),
        ("Create a new file with a class Parcel.", '{"path": "../more.py"}'),
    ],
)
def test_without_a_place_the_loop_goes_on(added, project, question, reply):
    answer, model, _ = added(question, reply, "I do not know.")
    assert answer.unchanged
    assert "tool" in model.requests[1].messages[0].content
    assert (project / "fees.py").read_text() == FEES


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (FEES, "nothing new"),
        ("def extra(a):\n    ...\n    # rest of the code here\n    return a", "left out"),
        ("def extra(a:\n    return a", "nothing new"),
        ("def extra(a):\n    return unheard_of(a)", "`unheard_of` is not known"),
    ],
)
def test_what_cannot_be_used_is_asked_for_once_more(added, project, reply, told):
    answer, _, notices = added(
        "Add a function extra after `fee`", CODE.format(reply), CODE.format(EXTRA)
    )
    assert told in notices[0]
    assert answer.text.startswith("Added `extra`")
    assert EXTRA in (project / "fees.py").read_text()


def test_a_rejection_with_a_reason_asks_for_another_text(added, project):
    other = EXTRA.replace("ceil", "floor")
    answer, model, _ = added(
        "Add a function extra after `fee`",
        CODE.format(EXTRA),
        CODE.format(other),
        action="reject",
        reason="round down",
    )
    assert "round down" in model.requests[1].messages[-1].content
    assert answer.text.endswith("stays as it is: the change was rejected.")
    assert (project / "fees.py").read_text() == FEES
