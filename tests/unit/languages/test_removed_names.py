"""Names that a change no longer imports and still uses: told where that is certain, else not."""

import tomllib
from pathlib import Path

import pytest

from ipuaro_jupyter.languages.removed_names import removed_name_problems

CASES = tomllib.loads((Path(__file__).parent / "removed_names.toml").read_text())


@pytest.mark.parametrize(("path", "imports", "rest", "name"), CASES["lost"])
def test_a_name_that_is_used_without_its_import_is_told(path, imports, rest, name):
    before, after = f"{imports}\n\n{rest}\n", f"\n{rest}\n"
    told = (f'line 2 uses "{name}", which is no longer imported',)
    assert removed_name_problems(path, before.encode(), after.encode()) == told
    assert removed_name_problems(path, before.encode(), before.encode() + b"\n") == ()


@pytest.mark.parametrize(("path", "imports", "rest"), CASES["kept"])
def test_a_name_that_may_be_another_one_is_not_told(path, imports, rest):
    before, after = f"{imports}\n{rest}\n", f"{rest}\n"
    assert removed_name_problems(path, before.encode(), after.encode()) == ()


@pytest.mark.parametrize(
    ("path", "imports", "rest"),
    [
        (
            "a.vue",
            "<script setup>\nimport { a } from 'x'",
            "</script>\n<template>{{ a }}</template>",
        ),
        ("a.svelte", "<script>\nimport A from 'x'", "</script>\n<A/>"),
        ("a.svelte", "<script>\nimport { a } from 'x'", "</script>\n<p>{$a}</p>"),
        ("a.svelte", "<script>\nimport { a } from 'x'", "$a = 1;\n</script>"),
        ("a.astro", "---\nimport A from 'x'", "---\n<A/>"),
    ],
)
def test_a_template_uses_the_names_of_its_script(path, imports, rest):
    opening = imports.partition("\n")[0]
    before, after = f"{imports}\n{rest}\n", f"{opening}\n\n{rest}\n"
    (told,) = removed_name_problems(path, before.encode(), after.encode())
    assert "which is no longer imported" in told


SETUP = "<script setup lang='ts'>\n%s\n</script>\n<template><p :b='a'>{{ a }}</p></template>\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("const a = 'x';", "defineProps(['a']);"),
        ("const a = 'x';", "defineProps<{ b: () => void; a: string }>();"),
        ("import { a } from 'x';", "import type { Props } from 'y';\ndefineProps<Props>();"),
        ("const a = ref(1);", "const b = defineModel('a');"),
    ],
)
def test_a_template_has_the_props_that_its_script_declares(before, after):
    assert removed_name_problems("a.vue", (SETUP % before).encode(), (SETUP % after).encode()) == ()


@pytest.mark.parametrize(
    "props",
    [
        "",
        "defineProps(['c']);",
        "defineProps<Props>();",
        "defineProps(['c']); // a was here",
        "// defineProps(['a'])",
    ],
)
def test_a_template_does_not_get_a_name_from_other_props(props):
    before, after = SETUP % f"import {{ a }} from 'x';\n{props}", SETUP % f"\n{props}"
    (told,) = removed_name_problems("a.vue", before.encode(), after.encode())
    assert 'uses "a", which is no longer imported' in told


def test_the_builtins_of_the_kernel_are_not_those_of_the_module(monkeypatch):
    monkeypatch.setattr("builtins.shout", print, raising=False)
    told = removed_name_problems("a.py", b"from a import shout\nshout()\n", b"\nshout()\n")
    assert told == ('line 2 uses "shout", which is no longer imported',)


def test_a_component_is_judged_by_its_script():
    before = b'<script setup>\nimport { ref } from "vue";\nconst a = ref(1);\n</script>\n'
    after = b"<script setup>\nconst a = ref(1);\n</script>\n"
    told = ('line 2 uses "ref", which is no longer imported',)
    assert removed_name_problems("a.vue", before, after) == told


def test_five_names_are_told_at_most():
    names = [f"name{number}" for number in range(9)]
    before = f"from a import {', '.join(names)}\nprint({', '.join(names)})\n"
    after = before.partition("\n")[2]
    assert len(removed_name_problems("a.py", before.encode(), after.encode())) == 5


def test_a_text_with_very_many_places_is_not_judged():
    rest = "use([" + "foo, " * 50_000 + "]);\n"
    before = f'import {{ foo }} from "x";\n{rest}'
    assert removed_name_problems("a.ts", before.encode(), rest.encode()) == ()


@pytest.mark.parametrize(("path", "before", "after", "name"), CASES["undeclared"])
def test_a_name_that_a_module_no_longer_declares_and_uses_is_told(path, before, after, name):
    (told,) = removed_name_problems(path, before.encode(), after.encode())
    assert f'"{name}", which is no longer declared' in told


@pytest.mark.parametrize(("path", "before", "after"), CASES["still"])
def test_a_name_that_may_be_declared_is_not_told(path, before, after):
    assert removed_name_problems(path, before.encode(), after.encode()) == ()
