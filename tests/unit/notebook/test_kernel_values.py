import pytest

from ipuaro_jupyter.notebook.kernel_values import expanded, interpolate

NAMES = {"x": 7, "name": "a.ts", "items": [1, 2]}


def fill(text):
    return interpolate(text, lambda expression: eval(expression, dict(NAMES)))


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("see $`name`, $`x + 1`", "see a.ts, 8"),
        ("$`items`", "[1, 2]"),
        ("{x} ${x} $x `x`; $$", "{x} ${x} $x `x`; $$"),
    ],
)
def test_only_a_dollar_with_backticks_puts_in_a_value(typed, sent):
    assert fill(typed) == (sent, [])


@pytest.mark.parametrize(
    "fence", ["```ts\n{}\n```", "~~~\n{}\n~~~", "````\n```\n{}\n````", "  ```\n{}"]
)
def test_code_fences_are_left_alone(fence):
    text = fence.replace("{}", "await $`x`")
    assert fill(text) == (text, [])


def test_after_a_fence_values_count_again():
    assert fill("```\n$`x`\n```\n$`x`")[0] == "```\n$`x`\n```\n7"


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("$`git status`", "it is not a Python expression"),
        ("$`missing`", "name 'missing' is not defined"),
        ("$`1 / 0`", "division by zero"),
    ],
)
def test_what_names_nothing_stays_as_typed_with_a_notice(typed, why):
    assert fill(typed) == (typed, [f"{typed} was sent as typed: {why}."])


@pytest.mark.parametrize(
    ("typed", "filled"),
    [
        ("start {name} --limit $x", "start a.ts --limit 7"),
        ("start {line}", "start {line}"),
        ("start {self}", "start {self}"),
        ("start {1 / 0} {", "start {1 / 0} {"),
    ],
)
def test_a_line_is_filled_in_with_the_users_names_only(typed, filled):
    assert expanded(typed, NAMES) == filled
