"""Files that a framework loads by their place are told as used by it."""

import json

import pytest


def package(*names):
    return json.dumps({"name": "stall", "devDependencies": dict.fromkeys(names, "1")})


@pytest.mark.parametrize(
    ("framework", "asked", "path"),
    [
        ("Nuxt", "nuxt", "app/layouts/wide.vue"),
        ("Nuxt", "nuxt", "server/api/fares.get.ts"),
        ("Next.js", "next", "src/app/(shop)/fares/page.tsx"),
        ("Next.js", "next", "pages/fares/[id].jsx"),
        ("SvelteKit", "@sveltejs/kit", "src/routes/fares/+page.server.ts"),
        ("Astro", "astro", "src/pages/fares.ts"),
        ("React Router", "@react-router/dev", "app/routes/fares.tsx"),
        ("React Router", "@remix-run/react", "app/root.tsx"),
        ("Expo Router", "expo-router", "app/(tabs)/fares.tsx"),
        ("TanStack Router", "@tanstack/react-start", "src/routes/fares.$id.tsx"),
    ],
)
def test_a_file_is_loaded_by_its_place(run, framework, asked, path):
    is_vue = path.endswith(".vue")
    text = "<template><i/></template>\n" if is_vue else "export default function Fares() {}\n"
    files = {"web/package.json": package(asked), f"web/{path}": text}
    call = run(files | {"web/lib/fares.ts": "export function fareOf() {}\n"})
    told = f"[{framework} loads web/{path} by its place, without an import]"
    assert told in call("get_dependents", {"path": f"web/{path}"}).text()
    if not is_vue:
        assert told in call("find_references", {"symbol": "Fares"}).text()
        assert told in call("get_callers", {"symbol": "Fares"}).text()
    assert "by its place" not in call("get_dependents", {"path": "web/lib/fares.ts"}).text()


def test_it_takes_the_package_that_asks_for_the_framework(run):
    files = {
        "package.json": package("next"),
        "lib/package.json": package("react"),
        "lib/pages/a.ts": "export const a = 1\n",
        "src/app/fares/rows.ts": "export const b = 1\n",
    }
    call = run(files)
    for path in ("lib/pages/a.ts", "src/app/fares/rows.ts"):
        assert "by its place" not in call("get_dependents", {"path": path}).text()


@pytest.mark.parametrize(
    ("path", "tag"),
    [
        ("components/PriceTag.vue", "<PriceTag/>"),
        ("components/PriceTag.vue", "<price-tag n='1'></price-tag>"),
        ("components/base/Knob.vue", "<BaseKnob />"),
        ("components/base/BaseKnob.vue", "<BaseKnob/>"),
        ("components/base/knob-row/index.vue", "<LazyBaseKnobRow/>"),
        ("app/components/Chart.client.vue", "<Chart/>"),
    ],
)
def test_the_components_of_nuxt_are_named_after_their_place(run, path, tag):
    files = {
        "package.json": package("nuxt"),
        "pages/index.vue": f"<template><div>{tag}</div></template>\n",
        path: "<script setup>\nconst n = 1\n</script>\n<template><b>{{ n }}</b></template>\n",
    }
    told = run(files)("get_dependents", {"path": path}).text()
    assert "its name stands in pages/index.vue" in told
