"""Uses and declarations in drawn import graphs, compared with what the languages' rules say.

The graphs hold stars, namespaces, cycles, modules that import themselves and packages that import
themselves by name. The rules are written here once more, plainly: a name is looked up by walking
the statements of a module.
"""

from dataclasses import dataclass, field

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

EXAMPLES = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
MOST_FILES, MOST_STATEMENTS, MOST_CHAINS = 4, 4, 6


@dataclass
class Statement:
    """One import or export of a module."""

    kind: str
    target: int
    imported: str = ""
    local: str = ""
    exported: str = ""
    is_absolute: bool = False


@dataclass
class Text:
    """A file as it is written; each identifier is noted with what it means."""

    path: str
    lines: list = field(default_factory=list)
    places: list = field(default_factory=list)

    def write(self, *parts):
        """Write a line of texts and (identifier, meaning); ``default`` is none."""
        line = ""
        for part in parts:
            if isinstance(part, tuple) and part[0] != "default":
                self.places.append((len(self.lines) + 1, len(line) + 1, *part))
            line += part if isinstance(part, str) else part[0]
        self.lines.append(line)


class Graph:
    """Modules, numbered: module N declares ``TN``. Meanings are as `meaning` returns them."""

    def __init__(self, modules):
        self.modules = modules

    def lookup(self, module, name, seen):
        """What a module gives others under a name."""
        raise NotImplementedError

    def meaning(self, module, name):
        """("name", N) for the declaration of module N, ("module", N) for module N, or None."""
        return self.lookup(module, name, set())

    def member(self, meaning, name):
        return self.meaning(meaning[1], name) if meaning and meaning[0] == "module" else None

    def names(self):
        own = [f"T{number}" for number in range(len(self.modules))]
        given = {one.exported or one.local for some in self.modules for one in some}
        return own + sorted(given - {""})


def assert_uses_are_right(index, texts, count):
    for number in range(count):
        name, meant = f"T{number}", ("name", number)
        expected = {
            (text.path, line, column, meaning == meant)
            for text in texts
            for line, column, word, meaning in text.places
            if meaning == meant or word == name
        }
        found = {(r.path, r.line, r.column, r.resolved) for r in index.references(name)}
        assert found == expected, {text.path: text.lines for text in texts}
        (declared,) = index.definitions(name)
        assert declared.name == name


def draw_chains(draw, graph, starts):
    """Chains of names, each with its meanings; they begin with a name that a file has imported."""
    chains = []
    for local, meaning in starts:
        for _ in range(draw(st.integers(1, 2))):
            chain = [(local, meaning)]
            while chain[-1][1] is not None and chain[-1][1][0] == "module" and len(chain) < 6:
                names = [n for n in graph.names() if graph.member(chain[-1][1], n) is not None]
                is_whole = len(chain[-1][1]) < 3 or 0 in chain[-1][1][2]
                name = draw(st.sampled_from(names + graph.names() * is_whole))
                chain.append((name, graph.member(chain[-1][1], name)))
            chains.append(chain)
    return chains[:MOST_CHAINS]


def write_chains(text, chains, end=""):
    for chain in chains:
        parts = [part for name in chain for part in (".", name)]
        text.write(*parts[1:], end)


class TypeScript(Graph):
    """ResolveExport of ECMAScript; names are drawn so that nothing is ambiguous."""

    def lookup(self, module, name, seen):
        if (module, name) in seen:
            return None
        seen.add((module, name))
        if name == f"T{module}":
            return ("name", module)
        for one in self.modules[module]:
            if one.exported == name:
                known = {"own": ("name", module)}
                known |= dict.fromkeys(("star as", "import star"), ("module", one.target))
                return known.get(one.kind) or self.lookup(one.target, one.imported, seen)
        if name == "default":
            return None
        stars = (one.target for one in self.modules[module] if one.kind == "star")
        found = (self.lookup(target, name, seen) for target in stars)
        return next((meaning for meaning in found if meaning is not None), None)


@st.composite
def typescript_graphs(draw):
    count = draw(st.integers(1, MOST_FILES))
    kinds = st.sampled_from(["star", "star", "star as", "import star", "from", "import", "own"])
    drawn = [draw(st.lists(kinds, max_size=MOST_STATEMENTS)) for _ in range(count)]
    explicit = [f"r{m}x{k}" for m in range(count) for k in range(len(drawn[m]))]
    names = [f"T{m}" for m in range(count)] + explicit + ["default"]
    modules = []
    for module, some in enumerate(drawn):
        taken = {f"T{module}", *(f"r{module}x{number}" for number in range(len(some)))}
        statements = []
        for number, kind in enumerate(some):
            imported = draw(st.sampled_from(names))
            exported = f"r{module}x{number}"
            likely = [exported, "default", imported if kind in {"from", "import"} else exported]
            wanted = draw(st.sampled_from(likely))
            exported = exported if wanted in taken else wanted
            taken.add(exported)
            one = Statement(kind, draw(st.integers(0, count - 1)), imported, f"l{module}x{number}")
            one.exported = "" if kind == "star" else exported
            one.is_absolute = draw(st.booleans())
            statements.append(one)
        modules.append(statements)
    graph = TypeScript(modules)
    starts = []
    for number in range(draw(st.integers(1, 3))):
        one = Statement("import", draw(st.integers(0, count - 1)), draw(st.sampled_from(names)))
        one.kind = draw(st.sampled_from(["import", "import star"]))
        one.local, one.is_absolute = f"u{number}", draw(st.booleans())
        starts.append(one)
    meanings = [(one.local, imported_by(graph, one)) for one in starts]
    return graph, starts, draw_chains(draw, graph, meanings)


def imported_by(graph, one):
    if one.kind == "import star":
        return ("module", one.target)
    return graph.meaning(one.target, one.imported)


def write_import(text, graph, one):
    source = f'"kit/m{one.target}"' if one.is_absolute else f'"./m{one.target}"'
    meaning = imported_by(graph, one)
    if one.kind == "import star":
        text.write("import * as ", (one.local, meaning), f" from {source}")
    elif one.imported == "default":
        text.write("import ", (one.local, meaning), f" from {source}")
    else:
        imported, local = (one.imported, meaning), (one.local, meaning)
        text.write("import { ", imported, " as ", local, " } from ", source)


def write_typescript(graph, starts, chains):
    texts = []
    for module, statements in enumerate(graph.modules):
        text = Text(f"src/m{module}.ts")
        own = (f"T{module}", ("name", module))
        text.write("export const ", own, " = 1")
        for one in statements:
            source = f'"kit/m{one.target}"' if one.is_absolute else f'"./m{one.target}"'
            exported = (one.exported, graph.meaning(module, one.exported))
            if one.kind == "star":
                text.write(f"export * from {source}")
            elif one.kind == "star as":
                text.write("export * as ", exported, f" from {source}")
            elif one.kind == "own":
                text.write("export { ", own, " as ", exported, " }")
            elif one.kind == "from":
                meaning = graph.meaning(one.target, one.imported)
                alias = () if one.imported == one.exported else (" as ", exported)
                text.write("export { ", (one.imported, meaning), *alias, " } from ", source)
            else:
                write_import(text, graph, one)
                local = (one.local, imported_by(graph, one))
                text.write("export { ", local, " as ", exported, " }")
        texts.append(text)
    use = Text("src/use.ts")
    for one in starts:
        write_import(use, graph, one)
    write_chains(use, chains, end=";")
    return [*texts, use]


@EXAMPLES
@given(drawn=typescript_graphs())
def test_typescript_is_followed_as_its_rules_say(make_index, drawn):
    graph = drawn[0]
    texts = write_typescript(*drawn)
    kit = '{"name": "kit", "exports": {"./*": "./src/*.ts"}}'
    files = {text.path: "\n".join(text.lines) + "\n" for text in texts}
    index, _ = make_index({"package.json": kit, **files})
    assert_uses_are_right(index, texts, len(graph.modules))
    for name in {name for name in graph.names() if name.startswith("r")}:
        given = [m for m, some in enumerate(graph.modules) if name in {o.exported for o in some}]
        meanings = {graph.meaning(module, name) for module in given}
        expected = {f"T{m[1]}" for m in meanings if m is not None and m[0] == "name"}
        assert {found.name for found in index.definitions(name)} == expected


class Python(Graph):
    """A package ``p``; module 0 is the package itself. A name is bound once in a module at most.

    What ``import p.m1`` binds is ("module", 0, {"m1"}): the package, with the submodules that the
    file loads. Its own names are taken from there only where the file has ``import p`` too.
    """

    def lookup(self, module, name, seen):
        if (module, name) in seen:
            return None
        seen.add((module, name))
        if name == f"T{module}":
            return ("name", module)
        for one in self.modules[module]:
            if one.local == name:
                return self.bound(one, seen, module)
        stars = (one.target for one in self.modules[module] if one.kind == "star")
        found = (self.lookup(target, name, seen) for target in stars)
        return next((meaning for meaning in found if meaning is not None), None)

    def bound(self, one, seen=None, module=None):
        """What a statement binds its name to."""
        if one.kind == "name":
            return self.lookup(one.target, one.imported, set() if seen is None else seen)
        if one.kind != "package":
            return ("module", one.target)
        statements = [one] if module is None else self.modules[module]
        loaded = {s.target for s in statements if s.kind == "package"}
        return ("module", 0, frozenset(loaded))

    def member(self, meaning, name):
        if meaning is None or meaning[0] != "module":
            return None
        loaded = meaning[2] if len(meaning) > 2 else {0}
        if name.startswith("m") and int(name[1:]) in loaded:
            return ("module", int(name[1:]))
        return self.meaning(meaning[1], name) if 0 in loaded else None

    def names(self):
        return [*super().names(), "p", *(f"m{number}" for number in range(1, len(self.modules)))]


def python_statements(draw, module, count, kinds, prefix):
    """Statements of a module; None is one outside of the package."""
    names = [f"T{number}" for number in range(count)]
    names += ["p", "p", *(f"l{m}x{k}" for m in range(count) for k in range(MOST_STATEMENTS))]
    statements, taken = [], {f"T{module}"}
    for number, kind in enumerate(kinds):
        one = Statement(kind, draw(st.integers(0, count - 1)), draw(st.sampled_from(names)))
        one.is_absolute = module is None or draw(st.booleans())
        one.local = f"{prefix}x{number}"
        if kind == "module" and one.target and draw(st.booleans()):
            one.imported = one.local = f"m{one.target}"
        elif kind == "package":
            one.local = "p"
        elif kind == "name" and one.imported[0] == "T" and draw(st.booleans()):
            one.local = one.imported
        elif kind == "star":
            one.local = ""
        is_again = one.local in taken and kind != "package"
        if not is_again:
            taken.add(one.local if kind != "star" else None)
            statements.append(one)
    return statements


@st.composite
def python_graphs(draw):
    count = draw(st.integers(1, MOST_FILES))
    kinds = st.lists(
        st.sampled_from(["star", "star", "module", "package", "name"]), max_size=MOST_STATEMENTS
    )
    modules = [
        python_statements(draw, module, count, draw(kinds), f"l{module}") for module in range(count)
    ]
    graph = Python(modules)
    used = draw(st.lists(st.sampled_from(["module", "package", "name"]), min_size=1, max_size=3))
    starts = python_statements(draw, None, count, used, "u")
    user = Python([*modules, starts])
    meanings = [(one.local, user.bound(one, set(), len(modules))) for one in starts]
    return graph, starts, draw_chains(draw, graph, meanings)


def python_source(one):
    """How a statement names its target, dots at its beginning in a relative one."""
    if one.is_absolute:
        return f"p.m{one.target}" if one.target else "p"
    return f".m{one.target}" if one.target else "."


def write_python_statement(text, one, meaning):
    source, local = python_source(one), (one.local, meaning)
    if one.kind == "star":
        text.write(f"from {source} import *")
    elif one.kind == "package":
        text.write(f"import p.m{one.target}" if one.target else "import p")
    elif one.kind == "name":
        imported = (one.imported, meaning)
        text.write(f"from {source} import ", imported, " as ", local)
        if one.imported == one.local:
            text.lines.pop()
            text.places = [place for place in text.places if place[0] <= len(text.lines)]
            text.write(f"from {source} import ", imported)
    elif one.local == f"m{one.target}":
        text.write(f"from {'p' if one.is_absolute else '.'} import m{one.target}")
    elif one.is_absolute or not one.target:
        text.write(f"import p.m{one.target} as " if one.target else "import p as ", local)
    else:
        text.write(f"from . import m{one.target} as ", local)


@EXAMPLES
@given(drawn=python_graphs())
def test_python_is_followed_as_its_rules_say(make_index, drawn):
    graph, starts, chains = drawn
    texts = []
    for module, statements in enumerate(graph.modules):
        text = Text(f"p/m{module}.py" if module else "p/__init__.py")
        for one in statements:
            meaning = graph.meaning(module, one.local) if one.local else None
            write_python_statement(text, one, meaning)
        text.write((f"T{module}", ("name", module)), " = 1")
        texts.append(text)
    use = Text("use.py")
    for one in starts:
        write_python_statement(use, one, Python([*graph.modules, starts]).bound(one))
    write_chains(use, chains)
    texts.append(use)
    index, _ = make_index({text.path: "\n".join(text.lines) + "\n" for text in texts})
    assert_uses_are_right(index, texts, len(graph.modules))
