"""The index as plain data, one object per file, in the documented form."""

from collections.abc import Iterator
from typing import Any

from ipuaro_jupyter.index.extract.facts_format import unpack_facts
from ipuaro_jupyter.index.storage.stored_index import Links, StoredIndex
from ipuaro_jupyter.records.code import Metrics

_FILES_AT_ONCE = 200
_RANGE = ("name", "line_start", "line_end")


def dumped(
    stored: StoredIndex, paths: list[str], existing: frozenset[str]
) -> Iterator[dict[str, Any]]:
    """Yield an object for each of ``paths``, in their order.

    Args:
        stored: The index.
        paths: Indexed files.
        existing: All files of the project.
    """
    for start in range(0, len(paths), _FILES_AT_ONCE):
        some = paths[start : start + _FILES_AT_ONCE]
        blobs, links = stored.blobs(some), stored.links(some)
        dependents = stored.dependents(some)
        for path in some:
            if path in blobs:
                facts = unpack_facts(blobs[path])
                own = links.get(path, [])
                made = _object(facts, own)
                targets = {target for link in own for target in link.targets} & existing
                made["dependencies"] = sorted(targets - {path})
                made["dependents"] = dependents.get(path, [])
                made["parseError"] = facts["parse_error"]
                yield made


def _object(facts: dict[str, Any], links: Links) -> dict[str, Any]:
    metrics = Metrics(**facts["metrics"])
    return {
        "path": facts["path"],
        "language": facts["language"],
        "hash": facts["hash"],
        "size": facts["size"],
        "imports": [
            {"from": i["source"], "line": i["line"], "kind": i["kind"], "resolved": link.path}
            for i, link in zip(facts["imports"], links, strict=True)
        ],
        "exports": [export["name"] for export in facts["exports"]],
        "functions": [
            {
                **_ranged(function),
                "params": _names(function["params"]),
                "isAsync": function["is_async"],
                "isExported": function["is_exported"],
            }
            for function in facts["functions"]
        ],
        "classes": [
            {
                **_ranged(holder),
                "extends": holder["extends"],
                "implements": holder["implements"],
                "isExported": holder["is_exported"],
                "isAbstract": holder["is_abstract"],
                "methods": _names(holder["methods"]),
                "properties": _names(holder["properties"]),
            }
            for holder in facts["classes"]
        ],
        **{
            kind: [_ranged(declared) for declared in facts[kind]]
            for kind in ("interfaces", "types", "enums")
        },
        "complexity": {
            "loc": metrics.loc,
            "nestingDepth": metrics.nesting_depth,
            "cyclomaticComplexity": metrics.cyclomatic_complexity,
            "score": round(metrics.score, 2),
        },
    }


def _ranged(declared: dict[str, Any]) -> dict[str, Any]:
    name, first, last = (declared[key] for key in _RANGE)
    return {"name": name, "lineStart": first, "lineEnd": last}


def _names(listed: list[dict[str, Any]]) -> list[str]:
    return [item["name"] for item in listed]
