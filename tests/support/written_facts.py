"""Code in Markdown with its facts beside its lines: what they are, and how they are written.

A case is a heading and blocks of code. A block begins with the language, or a path if its ending
is not the language, and the kinds of facts that it has all of. Behind a line of code and "⇒" are
those that begin in it, with the line they end in if that is another; a line that begins with "⇒"
has more of them. In a block whose kinds begin with "each", every line is a file, and "⏎" ends a
line of it.
"""

import re

from ipuaro_jupyter.index.extract.facts_format import unpack_facts
from ipuaro_jupyter.index.extract.parse import parse_file
from ipuaro_jupyter.index.extract.symbols import symbols_of
from ipuaro_jupyter.records.code import FileFacts

BLOCK = re.compile(r"^```([\w./]+)((?: \w+)*)\n((?:.*\n)*?)```$", re.MULTILINE)
FLAGS = {
    **{f"is_{flag}": flag for flag in ("async", "generator", "static", "readonly", "abstract")},
    "is_exported": "exported",
}


def shown(text):
    """Yield of each file in a case: its path, its kinds, its code, and the facts by line."""
    for language, words, block in BLOCK.findall(text):
        path = language if "." in language else f"a.{language}"
        kinds = words.split()
        is_each = kinds[:1] == ["each"]
        code, facts = [], {}
        for line in block.splitlines():
            source, mark, told = line.partition("⇒")
            if source.strip() or not mark:
                code.append(source.rstrip() if mark else source)
            if told:
                facts.setdefault(len(code), []).append(told.strip())
        told = {number: "; ".join(more) for number, more in facts.items()}
        if not is_each:
            yield path, kinds, "".join(f"{line}\n" for line in code), told
        for number, line in enumerate(code if is_each else (), 1):
            yield path, kinds[1:], line.replace("⏎", "\n") + "\n", told.get(number, "")


def found(path, code, kinds, *, by_line=True):
    """The facts of some kinds that a file has: by line, or all of them in one text."""
    plain = unpack_facts(parse_file(path, code.encode())[0].facts)
    facts = FileFacts.model_validate(plain)
    written = [fact for kind in kinds for fact in WRITERS[kind](facts, plain)]
    if not by_line:
        return "; ".join(text for _, _, text in written)
    lines = {}
    for start, end, text in sorted(written, key=lambda fact: fact[0]):
        lines.setdefault(start, []).append(text + f", to {end}" * (end != start))
    return {number: "; ".join(texts) for number, texts in lines.items()}


def flags(fact):
    """What is said of a fact by a word."""
    words = [f", {word}" for field, word in FLAGS.items() if getattr(fact, field, False)]
    return "".join(words) + ("" if getattr(fact, "has_body", True) else ", no body")


def bound(old, new):
    """A name, and the one it is bound to if that is another."""
    return old if old == new else f"{old} as {new}"


def typed(name, type_):
    """A name with its type, if it has one."""
    return name if type_ is None else f"{name}: {type_}"


def function(one):
    """A function with its signature, and its complexity if it has a decision."""
    params = ", ".join(
        "..." * p.is_rest + typed(p.name + "?" * p.is_optional, p.type) for p in one.params
    )
    returned = typed(f"{one.kind} {one.qualified}({params})", one.return_type)
    measures = f", complexity {one.cyclomatic}, nesting {one.nesting}"
    is_plain = (one.cyclomatic, one.nesting) == (1, 0)
    return one.line_start, one.line_end, returned + flags(one) + measures * (not is_plain)


def members(owner, fields):
    """The fields of an owner, then its methods."""
    for field in fields:
        text = typed(f"field {owner.qualified}.{field.name}", field.type) + flags(field)
        yield field.line_start, field.line_end, text
        if field.function:
            yield function(field.function)
    yield from map(function, owner.methods)


def classes(facts, _plain):
    for one in facts.classes:
        bases = f" < {one.extends}" * bool(one.extends)
        bases += f" implements {' and '.join(one.implements)}" * bool(one.implements)
        yield one.line_start, one.line_end, f"class {one.qualified}{bases}{flags(one)}"
        yield from members(one, one.properties)


def interfaces(facts, _plain):
    for one in facts.interfaces:
        bases = f" < {' and '.join(one.extends)}" * bool(one.extends)
        yield one.line_start, one.line_end, f"interface {one.qualified}{bases}{flags(one)}"
        yield from members(one, one.fields)


def types(facts, _plain):
    for one in facts.types:
        text = f"type {one.qualified} = {one.text}".replace("\n", "⏎")
        yield one.line_start, one.line_end, text + flags(one)
        yield from members(one, one.fields)


def enums(facts, _plain):
    for one in facts.enums:
        text = f"enum {one.qualified}: {', '.join(one.members)}"
        yield one.line_start, one.line_end, text + flags(one)


def imports(facts, _plain):
    for one in facts.imports:
        names = ", ".join(bound(name.imported, name.local) for name in one.names)
        yield one.line, one.line, f"{one.kind} {one.source}" + f": {names}" * bool(names)


def exports(facts, _plain):
    for one in facts.exports:
        local = one.name if one.local is None else bound(one.local, one.name)
        source = f" from {one.source}" if one.source else " without a name" * (one.local is None)
        yield one.line, one.line, f"export {local}{source}"


def errors(facts, _plain):
    if facts.parse_error:
        (line,) = re.findall(r"line (\d+)", facts.parse_error)
        yield int(line), int(line), facts.parse_error


def symbols(_facts, plain):
    names = sorted({qualified for _, qualified, *_ in symbols_of(plain)})
    return [(1, 1, ", ".join(names))] if names else []


def metrics(facts, _plain):
    measured = facts.metrics
    numbers = f"depth {measured.nesting_depth}, complexity {measured.cyclomatic_complexity}"
    yield 1, 1, f"loc {measured.loc}, {numbers}"


WRITERS = {
    "imports": imports,
    "exports": exports,
    "functions": lambda facts, _: map(function, facts.functions),
    "classes": classes,
    "interfaces": interfaces,
    "types": types,
    "enums": enums,
    "namespaces": lambda facts, _: [
        (n.line_start, n.line_end, f"namespace {n.qualified}{flags(n)}") for n in facts.namespaces
    ],
    "variables": lambda facts, _: [
        (v.line_start, v.line_end, f"{v.kind} {v.qualified}{flags(v)}") for v in facts.variables
    ],
    "todos": lambda facts, _: [(t.line, t.line, f"{t.type} {t.text}") for t in facts.todos],
    "symbols": symbols,
    "metrics": metrics,
    "errors": errors,
}
