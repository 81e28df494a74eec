"""Compare components with the compilers of Vue, Svelte and Astro, on packages that ship sources.

``python tests/benchmarks/compare_components.py [PACKAGE…]``: what each file imports, and which of
the names it imports its template uses; without names, the packages of `PACKAGES`. Templates of Vue
are compared where there is a ``<script setup>``: only there the compiler tells.
"""

import argparse
import json
import time
from collections import Counter
from pathlib import Path

from corpora import package, run_node

from ipuaro_jupyter.index.extract import postings
from ipuaro_jupyter.index.extract.facts_format import unpack_facts
from ipuaro_jupyter.index.extract.parse import parse_file
from ipuaro_jupyter.languages.components.component_code import template_of

SCRIPT = Path(__file__).parent / "components_truth.cjs"
PACKAGES = (
    *("primevue@4.2.5", "vitepress@1.5.0", "@nuxt/ui@3.0.0", "bits-ui@1.3.0"),
    *("flowbite-svelte@0.47.4", "@astrojs/starlight@0.30.0"),
)
_SUFFIXES = (".vue", ".svelte", ".astro")
_LOADED = ("dynamic", "require", "type-query")
_MOST_SHOWN = 20


def ours(path: Path) -> tuple[Counter[str], set[str], float]:
    """The modules a component imports, the imported names its template uses, CPU seconds."""
    data = path.read_bytes()
    began = time.process_time()
    parsed, *_ = parse_file(path.name, data)
    seconds = time.process_time() - began
    facts = unpack_facts(parsed.facts)
    known = [one for one in facts["imports"] if one["kind"] not in _LOADED]
    values = [one for one in known if one["kind"] != "type"]
    names = {name["local"] for one in values for name in one["names"]}
    code = template_of(path.name, data)
    assert code is not None
    used = {
        name
        for name in names
        if any(code.is_template(offset) for offset in postings.offsets(parsed.postings, name))
    }
    return Counter({one["source"] for one in known}), used, seconds


def compare(spec: str) -> None:
    """Print how the components of a package compare."""
    root = package("npm", spec)
    files = sorted(path for path in root.rglob("*") if path.suffix in _SUFFIXES)
    lines = run_node(SCRIPT, text="\n".join(map(str, files))).splitlines()
    count, same, imports, seconds = 0, 0, 0, 0.0
    theirs = both = extra = 0
    shown: list[str] = []
    for line in lines:
        told = json.loads(line)
        path = Path(told["path"])
        if "error" in told:
            shown.append(f"{path.relative_to(root)}: the compiler says {told['error']}")
            continue
        found, used, spent = ours(path)
        count, seconds = count + 1, seconds + spent
        expected = set(told["imports"])
        imports += len(expected)
        same += set(found) == expected
        if set(found) != expected:
            shown.append(f"{path.relative_to(root)}: imports {sorted(expected ^ set(found))}")
        if told["used"] is None:
            continue
        wanted = set(told["used"])
        theirs, both, extra = (
            theirs + len(wanted),
            both + len(wanted & used),
            extra + len(used - wanted),
        )
        if wanted - used:
            shown.append(f"{path.relative_to(root)}: not seen in the template {wanted - used}")
        if used - wanted:
            shown.append(f"{path.relative_to(root)}: only by us {used - wanted}")
    print(
        f"{spec}: {count} files, {imports} imports, equal in {same}; imported names used in "
        f"templates: {both} of {theirs}, {extra} by us alone; {1000 * seconds / max(count, 1):.1f} "
        "ms of CPU each"
    )
    for line in shown[:_MOST_SHOWN]:
        print("  ", line)


def main() -> None:
    """Compare the packages that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("packages", nargs="*", default=PACKAGES)
    for spec in parser.parse_args().packages:
        compare(spec)


if __name__ == "__main__":
    main()
