"""Files that a framework finds by their place: no import leads to them."""

import re
from collections.abc import Iterable, Iterator
from posixpath import splitext
from typing import NamedTuple

from ipuaro_jupyter.records.counted import named
from ipuaro_jupyter.tools.tool import Project

_CODE = r"\.(?:[cm]?[jt]sx?|vue)"
_MOST_TOLD = 3
_WORD = re.compile(r"[A-Za-z0-9]+")


class _Framework(NamedTuple):
    """A framework of ECMAScript.

    Attributes:
        name: Its name.
        packages: Those by which a package.json asks for it.
        places: What it loads, from the folder of that package.json on.
    """

    name: str
    packages: tuple[str, ...]
    places: re.Pattern[str]


_FRAMEWORKS = (
    _Framework(  # https://nuxt.com/docs/guide/directory-structure
        "Nuxt",
        ("nuxt", "nuxt-nightly"),
        re.compile(
            rf"(?:app/|src/)?(?:(?:app|error){_CODE}"
            r"|(?:components|pages|layouts|middleware|plugins|composables|utils)/.*)"
            r"|server/(?:api|routes|middleware|plugins|utils)/.*"
        ),
    ),
    _Framework(  # https://nextjs.org/docs/app/getting-started/project-structure
        "Next.js",
        ("next",),
        re.compile(
            r"(?:src/)?(?:pages/.*|app/(?:.*/)?(?:page|layout|route|loading|error|not-found|template"
            r"|default|global-error|forbidden|unauthorized|sitemap|robots|manifest|icon|apple-icon"
            rf"|opengraph-image|twitter-image){_CODE}"
            rf"|(?:middleware|proxy|instrumentation(?:-client)?|mdx-components){_CODE})"
        ),
    ),
    _Framework(  # https://svelte.dev/docs/kit/project-structure
        "SvelteKit",
        ("@sveltejs/kit",),
        re.compile(
            r"src/(?:routes/(?:.*/)?\+(?:page|layout|server|error)\b.*|params/.*"
            rf"|(?:hooks(?:\.server|\.client)?|service-worker|instrumentation\.server){_CODE})"
        ),
    ),
    _Framework(  # https://docs.astro.build/en/basics/project-structure/
        "Astro",
        ("astro",),
        re.compile(
            rf"src/(?:pages/.*|(?:middleware|content\.config|live\.config){_CODE}"
            rf"|(?:content/config|middleware/index|actions/index){_CODE})"
        ),
    ),
    _Framework(  # https://reactrouter.com/start/framework/routing, https://v2.remix.run/docs
        "React Router",
        ("@react-router/dev", "@remix-run/dev", "@remix-run/react"),
        re.compile(rf"app/(?:routes/.*|(?:root|routes|entry\.(?:client|server)){_CODE})"),
    ),
    _Framework(  # https://docs.expo.dev/router/basics/notation/
        "Expo Router", ("expo-router",), re.compile(r"(?:src/)?app/.*")
    ),
    _Framework(  # https://tanstack.com/router/latest/docs/routing/file-based-routing
        "TanStack Router",
        (
            *("@tanstack/router-plugin", "@tanstack/router-cli", "@tanstack/react-start"),
            *("@tanstack/solid-start", "@tanstack/router-vite-plugin"),
        ),
        re.compile(r"(?:src|app)/routes/.*"),
    ),
)
_COMPONENT = re.compile(r"(?:app/|src/)?components/(?P<inner>.+)\.vue")


def placed(project: Project, paths: Iterable[str]) -> str | None:
    """What a framework loads of some files by their place, a remark; None where none does."""
    found = [told for path in paths for told in _told(project, path)]
    rest = len(found) - _MOST_TOLD
    more = [f"{rest} more files are loaded so"] * (rest > 0)
    return "; ".join([*found[:_MOST_TOLD], *more]) or None


def _told(project: Project, path: str) -> Iterator[str]:
    """Yield that a framework loads a file, with the files where a component's tag may stand."""
    folder, asked = project.index.imports.asked_packages(path)
    inner = path.removeprefix(f"{folder}/" if folder else "")
    for one in _FRAMEWORKS:
        if asked.isdisjoint(one.packages) or not one.places.fullmatch(inner):
            continue
        component = _COMPONENT.fullmatch(inner) if one.name == "Nuxt" else None
        users: dict[str, None] = {}
        for tag in _tags(component["inner"]) if component is not None else ():
            users |= dict.fromkeys(user for user in project.index.having(tag) if user != path)
        told = f"{one.name} loads {path} by its place, without an import"
        yield f"{told}; its name stands in {named([*users])}" if users else told
        return


def _tags(inner: str) -> list[str]:
    """The tags of a component of Nuxt: from its folders and its name, or from its name alone.

    What a name repeats of its folders counts once: base/BaseKnob.vue is BaseKnob.
    https://nuxt.com/docs/guide/directory-structure/components#component-names
    """
    *folders, name = splitext(inner)[0].removesuffix("/index").split("/")
    last = _pascal(re.sub(r"\.(?:client|server|global)$", "", name))
    before = "".join(map(_pascal, folders))
    for part in range(len(before)):
        if last.startswith(before[part:]) and before[part].isupper():
            before = before[:part]
            break
    tags = dict.fromkeys([before + last, last])
    return [*tags, *(f"Lazy{tag}" for tag in tags)]


def _pascal(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in _WORD.findall(name))
