"""The text of evidence: whole functions, short forms, facts, within its size."""

import pytest

from ipuaro_jupyter.index.evidence_text import evidence_of

LONG = "".join(f"    step_{number} = number + {number}\n" for number in range(200))
FILES = {
    "bank.py": (
        "class Account:\n    '''Holds money.'''\n\n"
        "    def deposit(self, amount):\n        self.total += amount\n"
        "        return self.total\n\n"
        + "".join(f"    def other_{n}(self):\n        return {n}\n\n" for n in range(20))
        + f"def interest(number):\n    '''The yearly interest.'''\n{LONG}    rate = step_7\n"
    ),
    "use.py": "from bank import Account\n\ndef pay():\n    return Account().deposit(3)\n",
}


@pytest.fixture
def index(make_index):
    return make_index(FILES)[0]


def words(text):
    return len(text) / 4


def test_a_function_is_shown_whole_with_its_lines(index):
    found = evidence_of(index, "How is a deposit added?", tokens=400, size=words)
    first = found.excerpts[0]
    assert (first.id, first.symbol.name) == ("E1", "Account.deposit")
    assert first.lines[0].startswith("4\t")
    assert len(first.lines) == 3
    assert f"E1 Account.deposit\nbank.py:4-6\n{first.lines[0]}" in found.text


def test_a_large_function_says_what_is_left_out(index):
    found = evidence_of(index, "How is the yearly interest computed?", tokens=400, size=words)
    shown = next(one for one in found.excerpts if one.symbol.name == "interest")
    assert "yearly interest" in "\n".join(shown.lines)
    assert any(line.startswith("[… lines ") for line in shown.lines)


def test_what_is_left_over_goes_to_the_best_function(index):
    found = evidence_of(index, "How is the yearly interest computed?", tokens=4000, size=words)
    shown = next(one for one in found.excerpts if one.symbol.name == "interest")
    assert len(shown.lines) > 40


def test_no_signature_is_shown_without_a_body(make_index):
    steps = "".join(f"    step_{n} = number + {n}\n" for n in range(300))
    index, _ = make_index({"tax.py": f"def tax_rate(number):\n{steps}"})
    found = evidence_of(index, "What is the tax rate?", tokens=400, size=words)
    assert found.excerpts[0].lines[:3] == (
        "1\tdef tax_rate(number):",
        "2\t    step_0 = number + 0",
        "3\t    step_1 = number + 1",
    )


def test_twins_are_shown_once(make_index):
    code = "def send(mail):\n" + "".join(f"    step_{n}(mail)\n" for n in range(6))
    index, _ = make_index({"sync.py": code, "later.py": f"async {code}"})
    found = evidence_of(index, "How is mail sent?", tokens=1000, size=words)
    assert [one.symbol.name for one in found.excerpts] == ["send"]
    assert len(found.symbols) == 2


def test_a_function_is_shown_instead_of_some_lines_of_it(make_index):
    code = "def retry(task):\n    def wait_again():\n        return 1\n    task(wait_again)\n"
    index, _ = make_index({"retry.py": code})
    found = evidence_of(index, "wait again to retry", tokens=1000, size=words)
    assert [(one.symbol.name, len(one.lines)) for one in found.excerpts] == [("retry", 4)]


def test_a_class_is_shown_by_its_signatures(index):
    found = evidence_of(index, "Which Account holds money?", tokens=400, size=words)
    shown = next(one for one in found.excerpts if one.symbol.name == "Account")
    assert any("def deposit" in line for line in shown.lines)
    assert not any("self.total" in line for line in shown.lines)


@pytest.mark.parametrize("tokens", [100, 200, 1000])
def test_the_text_is_within_its_size(index, tokens):
    found = evidence_of(index, "How does Account pay interest?", tokens=tokens, size=words)
    assert 0 < found.tokens <= tokens


def test_facts_are_told_about_what_is_named(index):
    found = evidence_of(
        index, "Who calls `deposit`, and who imports bank.py?", tokens=500, size=words
    )
    assert found.facts[0] == "deposit is declared at bank.py:4 (function)."
    assert "use.py:4" in found.facts[1]
    assert "bank.py is imported by 1 file: use.py." in found.facts
    assert found.text.startswith("Facts:\n")


def test_heirs_are_facts(make_index):
    code = "class Shape: ...\nclass Round(Shape): ...\nclass Disc(Round): ...\n"
    index, _ = make_index({"shapes.py": code})
    found = evidence_of(index, "Which classes extend Shape?", tokens=400, size=words)
    assert found.facts[1:] == (
        "Shape is directly extended or implemented by 1: Round at shapes.py:2.",
        "Shape is indirectly extended or implemented by 1: Disc at shapes.py:3.",
    )


def test_imports_are_no_calls(index):
    found = evidence_of(index, "Who calls Account?", tokens=400, size=words)
    assert found.facts[1] == "Account is called at 1 place in 1 file: use.py:4 in pay."


def test_overloads_are_one_fact(make_index):
    code = "export function pick(at: string): string\nexport function pick(at: any) { return at }\n"
    index, _ = make_index({"pick.ts": code})
    found = evidence_of(index, "Where is `pick` declared?", tokens=400, size=words)
    assert found.facts == ("pick is declared at pick.ts:1 (function).",)


def test_a_long_fact_is_cut_and_says_how_many_more(make_index):
    uses = {f"long_name_of_a_caller_{n}.py": "import pay\n\npay.pay_all()\n" for n in range(30)}
    index, _ = make_index({"pay.py": "def pay_all(): ...\n"} | uses)
    found = evidence_of(index, "Who calls pay_all?", tokens=300, size=words)
    assert found.facts[1].count("long_name") == 30
    line = found.text.splitlines()[2]
    assert line.startswith("pay_all is called at 30 places in 30 files: ")
    shown = line.count("long_name")
    assert 0 < shown < 30
    assert line.endswith(f", {30 - shown} more.")


def test_secrets_are_hidden_in_all_of_it(index):
    found = evidence_of(
        index,
        "How is a deposit added?",
        tokens=400,
        size=words,
        hidden=lambda text, *_: text.replace("total", "[hidden]"),
    )
    assert "total" not in found.text
    assert "[hidden]" in found.text


def test_it_is_not_sure_of_another_language(index):
    assert evidence_of(index, "How is a deposit added?", tokens=300, size=words).is_sure
    found = evidence_of(index, "Wie wird eine Einzahlung gebucht?", tokens=300, size=words)
    assert not found.is_sure
    assert found.files
