"""Vue, Svelte and Astro: script blocks and templates through the tools."""

import pytest
from annotated import project_files

FILES = project_files("components")


def dependencies(call, path):
    return [one.path for one in call("get_dependencies", {"path": path}).output.dependencies]


@pytest.mark.parametrize(
    ("path", "imported"),
    [
        ("src/App.vue", ["src/MyThing.vue", "src/forms.ts", "src/prices.ts"]),
        ("src/MyThing.vue", ["src/prices.ts"]),
        ("src/Cart.svelte", ["src/Row.svelte", "src/prices.ts", "src/stores.ts"]),
        (
            "src/Page.astro",
            ["src/App.vue", "src/Layout.astro", "src/client.ts", "src/prices.ts", "src/tracker.ts"],
        ),
        ("src/main.ts", ["src/App.vue"]),
    ],
)
def test_imports_of_all_script_blocks_are_edges(shared, path, imported):
    assert dependencies(shared, path) == imported


def test_a_component_is_imported_by_scripts_and_components(shared):
    found = shared("get_dependents", {"path": "src/App.vue"}).output.dependents
    assert [one.path for one in found] == ["src/Page.astro", "src/main.ts"]


def uses(shared, symbol, path="", **more):
    found = shared("find_references", {"symbol": symbol, "path": path, **more}).output
    return [(use.line, use.column, use.resolved) for use in found.references]


def test_names_in_a_template_are_uses_unless_the_template_binds_them(shared):
    known = [(4, 10, True), (9, 17, True), (15, 23, True), (16, 22, True)]
    of_loop = [(14, 20, False), (14, 42, False), (14, 61, False)]
    assert uses(shared, "price", "src/App.vue") == sorted(known + of_loop)
    assert uses(shared, "add", "src/App.vue") == [(8, 10, True), (14, 57, True), (15, 45, True)]
    svelte = [(7, 12, True), (15, 18, True)]
    of_each = [(12, 19, False), (12, 29, False), (13, 11, False)]
    assert uses(shared, "price", "src/Cart.svelte") == sorted(svelte + of_each)
    assert uses(shared, "price", "src/Page.astro") == [(4, 10, True), (7, 16, True)]


def test_tags_stand_for_components_in_every_spelling(shared):
    found = uses(shared, "MyThing", "src/App.vue")
    assert found == [(3, 8, True), (14, 4, True), (15, 4, True), (15, 56, True)]
    assert uses(shared, "MyThing", "src/MyThing.vue") == [(1, 1, True)]
    assert uses(shared, "Field", "src/App.vue") == [(16, 10, True)]
    assert uses(shared, "Row", "src/Cart.svelte") == [(5, 10, True), (13, 6, True)]
    assert uses(shared, "App", "src/Page.astro") == [(3, 8, True), (8, 25, True)]


def test_a_store_is_used_under_its_sign(shared):
    assert uses(shared, "cart", "src/Cart.svelte") == [(6, 12, True), (9, 31, True), (12, 11, True)]


def test_a_template_without_setup_knows_members_only(shared):
    found = uses(shared, "format", "src/MyThing.vue")
    assert found == [(1, 44, False), (3, 10, True), (6, 28, True)]


def test_a_component_is_defined_where_its_file_begins(shared):
    (found,) = shared("find_definition", {"symbol": "App"}).output.definitions
    assert (found.path, found.line, found.type) == ("src/App.vue", 1, "const")


def test_functions_and_classes_have_the_lines_of_the_file(shared):
    found = shared("get_function", {"path": "src/App.vue", "name": "add"}).output
    assert (found.line_start, found.line_end, found.params) == (8, 10, ("item",))
    assert found.code.splitlines()[0].split() == [
        "8",
        *["function", "add(item:", "number):", "number", "{"],
    ]
    found = shared("get_class", {"path": "src/Cart.svelte", "name": "Total"}).output
    assert (found.line_start, found.line_end) == (2, 2)


def test_complexity_is_that_of_the_script(shared):
    (file,) = shared("get_complexity", {"path": "src/App.vue"}).output.files
    assert (file.loc, file.cyclomatic_complexity) == (8, 2)


def test_nothing_of_it_is_said_to_be_unread(shared):
    assert shared("find_references", {"symbol": "price"}).output.not_looked_at == ()


def renamed(run, symbol, to, path, **more):
    call = run(FILES, auto_apply=True)
    result = call("rename_symbol", {"symbol": symbol, "to": to, **more})
    assert result.success, result.text()
    return {path: call("get_lines", {"path": path}).text() for path in (path, "src/Cart.svelte")}


def test_a_rename_changes_script_and_template(run):
    text = renamed(run, "price", "cost", "src/App.vue")
    app, cart = text["src/App.vue"], text["src/Cart.svelte"]
    assert "import { cost, unused }" in app
    assert "item ? cost(item)" in app
    assert "`${cost(1)} in all`" in app
    assert '<forms.Field v-if="cost"' in app
    assert 'v-for="price in items" :key="price" @click="add(price)"' in app
    assert "import { cost }" in cart
    assert 'title="for {cost(1)}"' in cart
    assert "{#each $cart as price, i (price.id)}" in cart
    assert "<Row {price} on:click" in cart


def test_a_rename_spells_out_what_was_short(run):
    app = renamed(run, "unused", "used", "src/App.vue")["src/App.vue"]
    assert '<forms.Field v-if="price" :unused="used" />' in app
    assert "import { price, used }" in app


def test_a_rename_of_a_store_keeps_its_sign(run):
    cart = renamed(run, "cart", "basket", "src/App.vue")["src/Cart.svelte"]
    assert "import { basket }" in cart
    assert "{ $basket = n }" in cart
    assert "{#each $basket as price" in cart


def test_names_of_a_template_without_setup_are_offered_apart(run):
    call = run(FILES, auto_apply=True)
    assert call("rename_symbol", {"symbol": "format", "to": "shown"}).success
    text = call("get_lines", {"path": "src/MyThing.vue"}).text()
    assert "{{ format(label) }}" in text
    assert "return shown(1)" in text


def test_a_component_is_not_renamed_without_its_file(run):
    failed = run(FILES)("rename_symbol", {"symbol": "App", "to": "Main"})
    assert "App is the component src/App.vue, which has the name of its file" in failed.text()


def test_a_declaration_in_a_script_block_is_replaced_by_name(run):
    call = run(FILES, auto_apply=True)
    content = "function add(item: number): number {\n  return 1\n}"
    arguments = {"path": "src/App.vue", "name": "add", "content": content}
    assert call("replace_symbol", arguments).success
    text = call("get_lines", {"path": "src/App.vue", "start": 7, "end": 13}).text()
    assert "return 1" in text
    assert "<template>" in text


def test_an_edit_that_breaks_the_script_says_so(run):
    proposals = []
    call = run(FILES, confirm=lambda proposal: proposals.append(proposal) or False)
    call("edit_lines", {"path": "src/App.vue", "start": 10, "end": 10, "content": "}}"})
    assert 'line 10: "}" closes nothing' in str(proposals[0].problems)


@pytest.mark.parametrize("script", ["", "<script>\nconst = 1\n</script>\n"])
@pytest.mark.parametrize(
    "template",
    [
        '<template lang="pug">\np {{ label() }}\n</template>\n',
        "<template>{{ label() + }}</template>\n",
    ],
)
def test_a_template_that_is_not_read_is_told(run, template, script):
    prices = "export function price() {}\nexport function label() {}\n"
    own = "<script setup>\nimport { price } from './prices'\nprice()\n</script>\n"
    call = run({"a.vue": template + own + script, "b.vue": own, "prices.ts": prices})
    found = call("find_references", {"symbol": "label"}).output
    assert found.unread_remark == "not looked at: 1 .vue file (1 contains the name: a.vue)"
    found = call("find_references", {"symbol": "price"}).output
    assert [use.path for use in found.references if use.resolved].count("a.vue") == 2
