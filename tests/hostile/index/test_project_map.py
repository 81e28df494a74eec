"""The map of a project of ten thousand files."""

import pytest

from ipuaro_jupyter.agent.context.tokens import count_tokens
from ipuaro_jupyter.index.project_map import project_map


def lines_of(text, title):
    """Return the lines below a heading."""
    part = text.partition(f"### {title}")[2].partition("\n### ")[0]
    return part.splitlines()[1:]


def outlined(text):
    return [line for line in lines_of(text, "The most relevant files") if line[:1] != " "]


@pytest.mark.slow
def test_ten_thousand_files_fit(make_index):
    files = {}
    for number in range(10_000):
        uses = number // 3
        files[f"src/area{number % 97}/part{number}.ts"] = (
            f"import {{ f{uses} }} from '../area{uses % 97}/part{uses}'\n"
            f"export function f{number}(x: number) {{ return f{uses}(x) }}\n"
        )
    index, _ = make_index(files)
    for budget in (300, 2600):
        text = project_map(index, budget, size=count_tokens, mentioned=["Why is `f8765` slow?"])
        assert 0.75 * budget < count_tokens(text) <= budget
        assert text.startswith("10000 indexed files")
        assert outlined(text)[0].startswith("src/area35/part8765.ts")
