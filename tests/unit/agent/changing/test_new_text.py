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


@pytest.mark.parametrize(
    "reply", ["", '{"path": "more.py"}', CODE.format("def a():\n    # ...\n    a")]
)
def test_what_is_no_new_file_is_asked_for_once_more(added, project, reply):
    answer, _, notices = added("Create a file more.py", reply, CODE.format(EXTRA))
    assert "asked once more" in notices[0]
    assert answer.text == "Created more.py."
    assert (project / "more.py").read_text() == f"{EXTRA}\n"


def test_a_new_file_may_stand_behind_the_command_that_makes_it(added, project):
    added("Create a file more.py", f"```bash\ntouch more.py\n```\n{CODE.format(EXTRA)}")
    assert (project / "more.py").read_text() == f"{EXTRA}\n"


def test_a_class_behind_another_is_not_put_into_it(added, project):
    code = "class Box(Cart):\n    size = 1"
    added("Add a class Box after Cart", CODE.format(code))
    assert (project / "fees.py").read_text() == behind(f"\n\n{code}\n", "\n\nif __name__")


def test_fields_of_a_repeated_method_are_no_members(added, project):
    new = "\n    " + CLEAR.replace("\n", "\n    ") + "\n"
    made = f"class Cart:\n    def __init__(self):\n        self.total = 3\n{new}"
    added("Add a method `clear` to Cart", CODE.format(made))
    assert (project / "fees.py").read_text() == behind(new, "\n\nif __name__")


def test_a_member_is_not_called_as_a_function(added):
    helper = "def clear(self):\n    _empty(self)\n\n\ndef _empty(cart):\n    cart.weights = []"
    answer, _, notices = added("Add a method `clear` to Cart", *map(CODE.format, [helper, CLEAR]))
    assert "`_empty` is not known" in notices[0]
    assert answer.text.startswith("Added `Cart.clear`")


@pytest.mark.parametrize(
    ("head", "gap"), [("", ""), ('"""More."""\n', "\n"), ("\n", ""), ("import os\n\n\n", "")]
)
def test_imports_of_a_file_without_declarations(added, project, head, gap):
    (project / "more.py").write_text(head)
    code = "def extra(a):\n    return json.dumps(a)"
    added("Add a function extra to more.py", CODE.format(f"import json\n\n\n{code}"))
    text = (project / "more.py").read_text()
    assert text == f"{head.rstrip()}\n{gap}import json\n\n\n{code}\n".lstrip("\n")


VUE = """<script setup>
const open = 1;

function close() {
  return 0;
}
</script>
"""


def test_a_function_of_a_component(added, project):
    (project / "Door.vue").write_text(VUE)
    code = "function lock() {\n  return open;\n}"
    added("Add a function lock to Door.vue", f"```js\n{code}\n```")
    assert (project / "Door.vue").read_text() == VUE.replace("</s", f"\n{code}\n</s")


def test_a_component_without_code_has_no_place_for_a_function(added, project):
    (project / "Door.vue").write_text("<template>\n  <div />\n</template>\n")
    answer, *_ = added("Add a function lock to Door.vue", "[]", "I do not know.")
    assert answer.unchanged


def test_a_file_exports_one_default(added, project):
    (project / "shop.js").write_text(f"{SHOP}\nexport default Shop;\n")
    added("Add a function lock to shop.js", "```js\nexport default function lock() {}\n```")
    assert "export function lock() {}\n" in (project / "shop.js").read_text()


@pytest.mark.parametrize(
    "question",
    [
        "Add a function extra to more.py",
        "Add a function extra to Sub/More.py",
        "Add a function extra to more.py using d3.js",
    ],
)
def test_a_path_may_lack_its_folders_and_its_case(added, project, question):
    (project / "sub").mkdir()
    (project / "sub/more.py").write_text("LIMIT = 1\n")
    answer, *_ = added(question, CODE.format("def extra():\n    return LIMIT"))
    assert answer.text.startswith("Added `extra` at sub/more.py:")


@pytest.mark.parametrize(
    "question",
    [
        "Add a method extra to Cart in rate.js",
        "Add a method extra to fee()",
        "Create a component that uses three.js",
        "Create a file fees.PY/more.py",
        "Create a file /tmp/more.py",
    ],
)
def test_a_wrong_place_is_not_written_to(added, project, question):
    answer, *_ = added(question, "[]", "I do not know.")
    assert answer.unchanged
    assert {one.name for one in project.iterdir()} >= {"fees.py", "shop.js", "rate.js"}
    assert not (project / "three.js").exists()


RUST = "struct Box;\n\nimpl Box {\n    fn size() {}\n}\n"


@pytest.mark.parametrize(
    ("path", "file", "code"),
    [
        (
            "cart.go",
            "package cart\n\ntype Box struct{}\n\nfunc (b *Box) Size() int {\n\treturn 1\n}\n",
            "func (b *Box) Twice() int {\n\treturn 2 * b.Size()\n}",
        ),
        ("cart.rs", RUST, "fn twice() {}"),
        ("cart.rs", RUST, "impl Box {\n    fn twice() {}\n}"),
    ],
)
def test_a_method_that_names_its_type(added, project, path, file, code):
    (project / path).write_text(file)
    answer, *_ = added("Add a method twice to `Box`", f"```\n{code}\n```")
    assert answer.text.lower().startswith("added `box.twice`")
    assert (project / path).read_text().count("impl") == file.count("impl")
