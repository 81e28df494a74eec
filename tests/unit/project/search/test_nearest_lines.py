import pytest

from ipuaro_jupyter.project.search.nearest_lines import LineRange, _most_alike, nearest_lines

FILE = [
    "import { gate } from './gate'",
    "",
    "export function open(door: Door) {",
    "  if (!door.locked) {",
    "    return gate(door)",
    "  }",
    "  return null",
    "}",
    "",
    "export function close(door: Door) {",
    "  return gate(door)",
    "}",
]


@pytest.mark.parametrize(
    ("wanted", "start", "end"),
    [
        ("export function open(door:Door) {", 3, 3),
        ("\texport function close(door: Door)\t{\n\n\treturn gate(door)\n}", 10, 12),
        ("return  gate(door)", 5, 5),
        ("import {gate} from './gate'\nexport function open(door: Door) {", 1, 3),
    ],
)
def test_lines_with_other_blanks_are_found_first(wanted, start, end):
    assert nearest_lines(FILE, wanted.split("\n")) == LineRange(start, end, but_for_blanks=True)


@pytest.mark.parametrize(
    ("wanted", "start", "end"),
    [
        ("export function close(gate: Gate) {\n  return gate(door)\n}", 10, 12),
        ("export function opened(door) {", 3, 3),
        ("  if (!door.isLocked) {", 4, 4),
        ("x\nexport function open(door: Door) {\n  if (door.open) {\n    return gate(door)", 2, 5),
        ("zzz\n" * 20 + "import { gate } from './gate'", 1, 1),
        ("  return null\n}\n" + "zzz\n" * 20, 7, 12),
    ],
)
def test_otherwise_the_place_that_is_most_like_it(wanted, start, end):
    assert nearest_lines(FILE, wanted.split("\n")) == LineRange(start, end, but_for_blanks=False)


@pytest.mark.parametrize("wanted", ["", "  \n\t", "class Nothing extends Like", "}{"])
def test_what_is_like_nothing_has_no_place(wanted):
    assert nearest_lines(FILE, wanted.split("\n")) is None


def test_an_empty_file_has_no_place():
    assert nearest_lines([], ["const a = 1"]) is None


def test_a_large_file_is_looked_through_in_time():
    lines = [f"const value{n} = compute(value{n - 1}, other)" for n in range(40_000)]
    place = nearest_lines(lines, ["const value7 = computes(value6, others)"])
    assert place == LineRange(8, 8, but_for_blanks=False)
    long = ["word " * 1_000_000] * 3
    assert nearest_lines(long, [f"{long[0]}end"]) is not None


def test_the_same_letters_in_another_order_are_not_alike():
    assert _most_alike(["zyxw alpha dcba lkji"], "abcd alpha ijkl wxyz") is None
    assert _most_alike(["other", "abcd alpha ijkl"], "abcd alpha ijkl wxyz") == 1
