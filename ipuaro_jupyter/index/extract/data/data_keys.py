"""Extract the facts of a data file: its top-level keys."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from ipuaro_jupyter.index.extract.data.json_keys import Key, json_keys
from ipuaro_jupyter.index.extract.data.yaml_keys import yaml_keys

MOST_KEYS = 10_000
"""At most this many keys are kept of one file."""
_FINDERS: Mapping[str, Callable[[bytes], Iterator[Key]]] = {"json": json_keys, "yaml": yaml_keys}


def keys_of(style: str, data: bytes) -> tuple[list[dict[str, Any]], dict[str, list[int]]]:
    """The keys as dicts of `records.code.Variable`, and the byte offsets of their names."""
    records: list[dict[str, Any]] = []
    places: defaultdict[str, list[int]] = defaultdict(list)
    line, last = 1, 0
    for key in islice(_FINDERS[style](data), MOST_KEYS):
        line += data.count(b"\n", last, key.start)
        last = key.start
        records.append(
            {
                "name": key.name,
                "qualified": key.name,
                "line_start": line,
                "line_end": line + data.count(b"\n", key.start, key.end),
                "kind": "key",
                "is_exported": False,
            }
        )
        places[key.name].append(key.start)
    return records, dict(places)
