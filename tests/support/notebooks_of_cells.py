"""Notebook files of given cells."""

import json

STREAM = {"name": "stdout", "output_type": "stream", "text": ["printed\n"]}


def cell(kind, text, id_, *, outputs=()):
    made = {"cell_type": kind, "id": id_, "metadata": {}, "source": text.splitlines(keepends=True)}
    if kind == "code":
        made |= {"execution_count": 7 if outputs else None, "outputs": [*outputs]}
    return dict(sorted(made.items()))


def notebook(*cells, outputs=(), **metadata):
    """The JSON, as Jupyter writes it, of cells that are pairs of kind and text."""
    made = [cell(kind, text, f"c{n}", outputs=outputs) for n, (kind, text) in enumerate(cells, 1)]
    whole = {"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def sources(data):
    """The texts of the cells of a notebook file."""
    return ["".join(cell["source"]) for cell in json.loads(data)["cells"]]
