"""The code of components as one text."""

import pytest

from ipuaro_jupyter.index.extract.parse import parse_file
from ipuaro_jupyter.languages.bounded import ParsingTooSlow, parse
from ipuaro_jupyter.languages.components.code_scanner import end_of_code, limited
from ipuaro_jupyter.languages.components.component_code import template_of
from ipuaro_jupyter.languages.components.spelling import component_name, kebab


def code_of(path, text):
    code = template_of(path, text.encode())
    assert code is not None
    assert len(code.whole) == len(code.script) == len(text.encode())
    assert not parse(code.language, code.whole, seconds=1).root_node.has_error, code.whole.decode()
    return code


def words_of(path, text):
    return code_of(path, text).whole.decode().split()


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("{{ a | upper }}", "{ a | upper }"),
        ('<b :c="d" v-if="e &amp;&amp; f"/>', "{d} {e && f}"),
        ("<b :style='{ a: 1 }' :c='d'/>", ";({ a: 1 });{d}"),
        ('<b @c="d = 1; e()" @f="g => g" v-on:h="i"/>', "{d = 1; e()} {g => g} {i}"),
        ("<my-thing/><MyThing/><a-b.c/>", ";MyThing ; ;MyThing; ;a-b.c;"),
        ('<i :[k]="v" v-bind="o"/>', "{k} {v} {o}"),
        ("<!-- {{ no }} --><i v-pre>{{ no }}</i><i>{{ yes }}</i>", "{ yes }"),
        ("<b v-pre><b>{{ no }}</b><bb/><b/>{{ no }}</b>{{ yes }}", "{ yes }"),
        ("<b v-pre><!-- <b> -->{{ no }}</b ><b>{{ yes }}</b>", "{ yes }"),
        ("<img v-pre>{{ yes }}", "{ yes }"),
        ("<style>{{ no }}</style>", ""),
    ],
)
def test_vue_templates(markup, expected):
    found = words_of("a.vue", f"<template>{markup}</template>\n<script setup></script>")
    assert "".join(found).replace(";", "") == expected.replace(";", "").replace(" ", "")


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("{a}{@html b}{@render c(d)}", "{a}{ b}{ c(d)}"),
        ("<B {c} {...d} on:e={f} bind:g class:h={i} />", ";B;{c}{d}{f};g;{i}"),
        ("<b use:c={d} in:e|local class='x {f ? \"g\" : 1} y'>", ';c;{d};e;{f?"g":1}'),
        ("{#each a as {b, c: [d]}, i (b.id)}{d}{/each}", "{a};b;;d;;i;{b.id}{d}"),
        ("{#await a then b}{b}{:catch c}{c}{/await}", "{a};b;{b};c;{c}"),
        ("{#if a}{:else if b}{/if}{#key c}{/key}", "{a}{b}{c}"),
        ("{#snippet a(b)}{@const c = b}{c}{/snippet}", ";a;;b;;c;{b}{c}"),
        ("{`}${a}`}{'}'}{/}/}{/* } */ b}", "{`}${a}`}{'}'}{/}/}{/*}*/b}"),
        ("<svelte:head><script>{no}</script></svelte:head>", ""),
    ],
)
def test_svelte_markup(markup, expected):
    found = "".join(words_of("a.svelte", markup))
    assert sorted(found.replace(";", "")) == sorted(expected.replace(";", "").replace(" ", ""))


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<B c={d} {e} {...f} g=`h ${i}` />", "B{d}{e}{f}{`h${i}`}"),
        ("{a.map((b) => <c d={b}>don't {b}</c>)}", "{a.map((b)=>[,(b)(b)])}"),
        ("{a ? <B>{c}</B> : <><d/></>}", "{a?[B,(c),B]:[]}"),
        ("{a < b && b > c}", "{a<b&&b>c}"),
        ("{/* no */}<!-- {no} --><p is:raw>{no}</p>", ""),
    ],
)
def test_astro_markup(markup, expected):
    code = code_of("a.astro", f"---\nimport x from 'y'\n---\n{markup}")
    found = "".join(code.whole.decode().split("\n", 3)[3].split())
    assert found.replace(";", "") == expected


def test_a_template_scope_is_that_of_its_element():
    text = '<template><a v-for="(b, i) of c"><d #e="{ f = g, ...h }">{{ f }}</d></a></template>'
    names = {one.name: text[one.start : one.end] for one in code_of("a.vue", text).names}
    inner = '<d #e="{ f = g, ...h }">{{ f }}</d>'
    assert names == {
        **dict.fromkeys("fh", inner),
        **dict.fromkeys("bi", f'<a v-for="(b, i) of c">{inner}</a>'),
    }


def test_a_broken_expression_costs_only_itself():
    text = "<template>{{ a b }}{{ c }}</template>\n<script setup>\nconst c = 1\n</script>\n"
    code = code_of("a.vue", text)
    assert "{ c }" in code.whole.decode()
    assert code.problem == "Syntax error in the template at line 1."


def test_a_template_in_another_language_is_told():
    code = code_of("a.vue", '<template lang="pug">\np a\n</template>\n')
    assert code.problem == "The template is in pug, which is not read."


def test_jsx_in_vue_and_casts_in_typescript_are_read():
    assert code_of("a.vue", '<script lang="tsx">\nconst a = <b>{c}</b>\n</script>')
    assert code_of("a.vue", '<script lang="ts">\nconst a = <b>c\n</script>')


def test_the_source_of_a_script_is_an_import():
    for text in ('<script src="./x.ts"></script>', '<script lang="ts" src="./x.ts" />'):
        assert 'import"./x.ts"' in code_of("a.vue", text).script.decode()


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.svelte", '<a b="{"\n' * 8_000),
        ("a.svelte", "{`${\n" * 8_000),
        ("a.astro", "{<a>\n" * 8_000),
    ],
)
def test_hostile_templates_end(path, text, monkeypatch):
    monkeypatch.setattr("ipuaro_jupyter.languages.components.component_code._READING_S", 0.02)
    assert parse_file(path, text.encode())[0].problem.startswith("Not analysed: ")


def test_code_ends_at_its_brace():
    text = rb"""{ a: '}', b: `}${ {} }`, c: /[}]/ } // }
    } rest"""
    assert text[end_of_code(text, 1, len(text)) :] == b"} // }\n    } rest"
    with limited(0), pytest.raises(ParsingTooSlow):
        end_of_code(b"(" * 1000, 0, 1000)


@pytest.mark.parametrize(
    ("path", "name"),
    [("src/App.vue", "App"), ("my-thing.vue", "MyThing"), ("[id].astro", ""), ("1.svelte", "")],
)
def test_a_component_is_named_by_its_file(path, name):
    assert component_name(path) == name


def test_names_are_spelled_with_hyphens():
    assert kebab(b"MyBigThing") == b"my-big-thing"


@pytest.mark.parametrize(
    ("path", "attribute", "painted"),
    [
        (
            "a.vue",
            'generic="T extends Item, U extends Of<T>[]"',
            "T :       Item, U :       Of<T>[]",
        ),
        ("a.vue", "generic='const T extends { id?: Id }'", "      T :       { id?: Id }"),
        ("a.svelte", 'generics="T extends keyof Map = One"', "T :       keyof Map | One"),
        ("a.vue", 'generic="T extends A ? B : C"', ""),
        ("a.vue", 'generic="F extends (x: A) => void"', ""),
        ("a.vue", "generic", ""),
    ],
)
def test_type_parameters_in_the_tag_are_uses_of_types(path, attribute, painted):
    text = f'<script setup {attribute} lang="ts">\nimport a from "./a"\n</script>'
    code = code_of(path, text)
    assert code.problem == ""
    assert code.script.decode().partition("\n")[0].strip() == (f";0 as[{painted}];" * bool(painted))
