"""Rows that a long benchmark keeps in a file, from which the next run goes on."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def read(kept: Path) -> dict[tuple[str, str], Row]:
    """Return the rows that were kept, by id and way."""
    lines = kept.read_text().splitlines() if kept.is_file() else []
    return {(one["id"], one["way"]): one for one in map(json.loads, lines)}


def keep(kept: Path, row: Row) -> None:
    """Add a row."""
    with kept.open("a") as file:
        file.write(json.dumps(row, ensure_ascii=False) + "\n")


def parser(ways: Sequence[str], *, rows: int | None) -> argparse.ArgumentParser:
    """Return the options of such a benchmark; ``rows`` is how many it asks, None for all."""
    found = argparse.ArgumentParser()
    found.add_argument("data", type=Path)
    found.add_argument("kept", type=Path)
    found.add_argument("--model")
    found.add_argument("--ways", nargs="+", choices=ways, default=ways)
    found.add_argument("--rows", type=int, default=rows, help="ask the first ones only")
    found.add_argument("--table", action="store_true")
    return found
