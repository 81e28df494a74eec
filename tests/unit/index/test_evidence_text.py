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
