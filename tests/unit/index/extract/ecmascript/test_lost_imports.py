"""Imports that a syntax error hides are read from the text."""

import pytest


@pytest.mark.parametrize("path", ["a.ts", "a.js"])
def test_only_what_the_tree_has_not_counts_against_the_limit(read_facts, path):
    """A broken file with very many imports loses none of them behind the first."""
    whole = [f"import {{ a{n} }} from './a{n}'\nimport b{n} from './b{n}'\n" for n in range(300)]
    more = ["import * as all from './all'\n", "export { x as y } from './x'\n"]
    facts = read_facts("".join([*whole, *more, "import { p,, q } from './last'\nf(\n"]), path)
    assert facts.parse_error
    last = facts.imports[-1]
    assert (last.source, last.line) == ("./last", 603)
    assert [(one.imported, one.local) for one in last.names] == [("p", "p"), ("q", "q")]
    assert len(facts.imports) == 603
