"""The lines of the declarations of a file, from its facts."""

from collections.abc import Iterator

from ipuaro_jupyter.records.code import Enum, FileFacts, Function, Interface, TypeAlias, Variable


def declared_ranges(facts: FileFacts) -> Iterator[tuple[str, int, int]]:
    """Yield each declaration that other files can refer to: its name, first and last line.

    The lines of a class end where its first member begins.
    """
    yield from (_placed(one) for one in facts.functions)
    yield from (_placed(one) for one in facts.interfaces)
    yield from (_placed(one) for one in facts.types)
    yield from (_placed(one) for one in facts.enums)
    yield from (_placed(one) for one in facts.variables)
    for owner in facts.classes:
        starts = [method.line_start for method in owner.methods]
        starts += [field.line_start for field in owner.properties]
        first = min(starts, default=owner.line_end)
        yield owner.qualified, owner.line_start, max(owner.line_start, first - 1)
        yield from (_placed(method) for method in owner.methods)
        for field in owner.properties:
            yield f"{owner.qualified}.{field.name}", field.line_start, field.line_end


def _placed(one: Function | Interface | TypeAlias | Enum | Variable) -> tuple[str, int, int]:
    return one.qualified, one.line_start, one.line_end
