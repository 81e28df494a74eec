"""What Python's own ``ast`` says of a file, in the form that the facts of the index have.

Names that are bound twice count once, at their first binding, and names that a function or class
has already do not count as variables or attributes; see ``index/python_facts.py``.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

Targets = ast.Name | ast.Attribute
_PLAIN_LISTS = (ast.List, ast.Tuple, ast.Set)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass
class Truth:
    """The facts of a file as counted tuples, by kind."""

    functions: Counter = field(default_factory=Counter)
    classes: Counter = field(default_factory=Counter)
    attributes: Counter = field(default_factory=Counter)
    variables: Counter = field(default_factory=Counter)
    imports: Counter = field(default_factory=Counter)
    exports: Counter = field(default_factory=Counter)
    identifiers: Counter = field(default_factory=Counter)


def truth_of(data: bytes) -> Truth:
    """Return what is in a file.

    Raises:
        SyntaxError: Python cannot read it.
        ValueError: The same, because of a NUL.
    """
    tree = ast.parse(data)
    reader = _Reader(data)
    reader.read(tree)
    reader.truth.identifiers = Counter(_identifiers(tree))
    reader.finish(tree)
    return reader.truth


class _Reader(ast.NodeVisitor):
    def __init__(self, data: bytes) -> None:
        self.truth = Truth()
        self._data = data
        self._path: list[str] = []
        self._kinds = ["file"]
        self._selves: list[tuple[str, str]] = []
        self._bound: set[tuple[str, str]] = set()
        self._methods: set[tuple[str, str]] = set()
        self._tops: dict[str, None] = {}

    def read(self, tree: ast.Module) -> None:
        for statement in tree.body:
            self.visit(statement)

    def finish(self, tree: ast.Module) -> None:
        listed = _listed(tree)
        public = [name for name in self._tops if not name.startswith("_")]
        self.truth.exports = Counter(dict.fromkeys(public if listed is None else listed, 1))

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for outside in (*node.decorator_list, *_defaults(node.args), node.returns):
            if outside is not None:
                self.visit(outside)
        is_method = self._kinds[-1] == "class"
        path = ".".join([*self._path, node.name])
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        params = tuple(_params(node.args))
        is_async = isinstance(node, ast.AsyncFunctionDef)
        is_generator = any(
            isinstance(inner, (ast.Yield, ast.YieldFrom)) for inner in _own(node.body)
        )
        returns = None if node.returns is None else _flat(self._segment(node.returns))
        self.truth.functions[
            path, first, node.end_lineno, params, returns, is_async, is_generator
        ] += 1
        self._add_top(node.name)
        pushed = self._push_self(node) if is_method else False
        self._inside("function", node.name, node.body)
        if pushed:
            self._selves.pop()

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815 - ast names it

    def _push_self(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        holder = ".".join(self._path)
        self._methods.add((holder, node.name))
        args = [*node.args.posonlyargs, *node.args.args]
        names = {_last(decorator) for decorator in node.decorator_list}
        if not args or "staticmethod" in names:
            return False
        self._selves.append((args[0].arg, holder))
        return True

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for outside in (*node.decorator_list, *node.bases, *(k.value for k in node.keywords)):
            self.visit(outside)
        path = ".".join([*self._path, node.name])
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        bases = tuple(_flat(self._segment(base)) for base in node.bases)
        self.truth.classes[path, first, node.end_lineno, ", ".join(bases)] += 1
        self._add_top(node.name)
        self._inside("class", node.name, node.body)

    def _inside(self, kind: str, name: str, body: list[ast.stmt]) -> None:
        self._path.append(name)
        self._kinds.append(kind)
        for statement in body:
            self.visit(statement)
        self._kinds.pop()
        self._path.pop()

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._kinds.append("function")
        self._path.append("<lambda>")
        self.generic_visit(node)
        self._path.pop()
        self._kinds.pop()

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            single = isinstance(target, (ast.Name, ast.Attribute)) and target is node.targets[-1]
            self._bind(target, node.value if single else None)
        self._value(node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if _last(node.annotation) == "TypeAlias":
            if self._kinds == ["file"] and isinstance(node.target, ast.Name):
                self._add_top(node.target.id)
            return
        self._bind(node.target, node.value)
        if node.value is not None:
            self._value(node.value)

    def _value(self, value: ast.expr) -> None:
        self.visit(value)

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self._bind(node.target)
        self.generic_visit(node)

    visit_AsyncFor = visit_For  # noqa: N815 - ast names it

    def visit_With(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            if item.optional_vars is not None:
                self._bind(item.optional_vars)
        self.generic_visit(node)

    visit_AsyncWith = visit_With  # noqa: N815 - ast names it

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self._bind(node.target)
        self.generic_visit(node)

    def _bind(self, target: ast.expr, value: ast.expr | None = None) -> None:
        if isinstance(value, ast.Lambda):
            self._bind_lambda(target, value)
            return
        for inner in _targets(target):
            if isinstance(inner, ast.Name):
                self._bind_name(inner.id, value)
            elif isinstance(inner.value, ast.Name):
                self._bind_attribute(inner.value.id, inner.attr)

    def _bind_name(self, name: str, value: ast.expr | None) -> None:
        path = ".".join(self._path)
        if self._kinds[-1] == "class":
            self._add_attribute(path, name)
        elif self._kinds == ["file"] and name not in self._tops:
            self._add_top(name)
            if not _is_load(value):
                self.truth.variables[(name,)] += 1

    def _bind_attribute(self, receiver: str, name: str) -> None:
        for known, holder in reversed(self._selves):
            if known == receiver:
                self._add_attribute(holder, name)
                return

    def _bind_lambda(self, target: ast.expr, value: ast.Lambda) -> None:
        """A lambda is a function of the name that it is bound to, and an attribute in a class."""
        path = ".".join(self._path)
        if isinstance(target, ast.Name):
            if self._kinds[-1] == "class":
                self._add_attribute(path, target.id)
                return
            outer = path
            self._add_top(target.id)
            name = target.id
        elif isinstance(target, ast.Attribute):
            name, outer = target.attr, _flat(self._segment(target.value))
            holders = [h for known, h in reversed(self._selves) if known == outer]
            if holders:
                self._add_attribute(holders[0], name)
                return
        else:
            return
        full = f"{outer}.{name}" if outer else name
        params = tuple(_params(value.args))
        statement = (target.lineno, value.end_lineno)
        self.truth.functions[full, *statement, params, None, False, False] += 1

    def _add_attribute(self, holder: str, name: str) -> None:
        if (holder, name) not in self._bound:
            self._bound.add((holder, name))
            if (holder, name) not in self._methods:
                self.truth.attributes[holder, name] += 1

    def _add_top(self, name: str) -> None:
        if self._kinds == ["file"]:
            self._tops.setdefault(name)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.truth.imports[alias.name, "*", alias.asname or alias.name] += 1
            if alias.asname == alias.name:
                self._add_top(alias.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        source = "." * node.level + (node.module or "")
        for alias in node.names:
            self.truth.imports[source, alias.name, alias.asname or alias.name] += 1
            if alias.asname == alias.name:
                self._add_top(alias.name)
            if alias.name == "*" and self._kinds == ["file"]:
                self._add_top("*")

    def _segment(self, node: ast.expr) -> str:
        lines = self._data.removeprefix(b"\xef\xbb\xbf").splitlines(keepends=True)
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        if first == last:
            return lines[first][node.col_offset : node.end_col_offset].decode()
        parts = [lines[first][node.col_offset :], *lines[first + 1 : last]]
        parts.append(lines[last][: node.end_col_offset])
        return b"".join(parts).decode()


def _defaults(args: ast.arguments) -> list[ast.expr | None]:
    return [*args.defaults, *args.kw_defaults]


def _params(args: ast.arguments) -> Iterator[tuple[str, bool, bool]]:
    """Yield name, whether it may be left out, whether it takes the rest."""
    plain = [*args.posonlyargs, *args.args]
    given = len(plain) - len(args.defaults)
    for place, arg in enumerate(plain):
        yield arg.arg, place >= given, False
    if args.vararg is not None:
        yield args.vararg.arg, False, True
    for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        yield arg.arg, default is not None, False
    if args.kwarg is not None:
        yield args.kwarg.arg, False, True


def _own(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Yield the nodes of a function without those of what is declared in it."""
    open_: list[ast.AST] = list(body)
    while open_:
        node = open_.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            open_.extend(ast.iter_child_nodes(node))


def _targets(target: ast.expr) -> Iterator[Targets]:
    if isinstance(target, (ast.Name, ast.Attribute)):
        yield target
    elif isinstance(target, ast.Starred):
        yield from _targets(target.value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for inner in target.elts:
            yield from _targets(inner)


def _is_load(value: ast.expr | None) -> bool:
    """Return whether a value is ``importlib.import_module("name")`` or an attribute of it."""
    if isinstance(value, ast.Attribute):
        value = value.value
    return (
        isinstance(value, ast.Call)
        and ast.unparse(value.func) in {"importlib.import_module", "import_module", "__import__"}
        and bool(value.args)
        and isinstance(value.args[0], ast.Constant)
    )


def _last(node: ast.expr) -> str:
    text = ast.unparse(node).strip("'")
    return text.partition("[")[0].partition("(")[0].rpartition(".")[2]


def _flat(text: str) -> str:
    return " ".join(text.split())


def _listed(tree: ast.Module) -> list[str] | None:
    """Return the names in the statements about ``__all__`` that are not inside a function."""
    found: list[str] | None = None
    for node in _own(tree.body):
        values: list[ast.expr] = []
        if isinstance(node, ast.Assign) and any(map(_is_all, node.targets)):
            values = [node.value]
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign)) and _is_all(node.target):
            values = [node.value] if node.value is not None else []
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            is_adding = node.func.attr in {"append", "extend", "insert"}
            values = node.args if is_adding and _is_all(node.func.value) else []
        if values:
            found = [] if found is None else found
            found += [name for value in values for name in _strings(value)]
    return found


def _is_all(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "__all__"


def _strings(value: ast.expr) -> Iterator[str]:
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        yield value.value
    elif isinstance(value, _PLAIN_LISTS):
        for inner in value.elts:
            yield from _strings(inner)
    elif isinstance(value, ast.Starred):
        yield from _strings(value.value)
    elif isinstance(value, ast.BinOp):
        yield from _strings(value.left)
        yield from _strings(value.right)


def _identifiers(tree: ast.AST) -> Iterator[str]:  # noqa: C901 - one case for each node
    """Yield every occurrence of a name in the code."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name):
                yield name
            case ast.keyword(arg=str(name)) | ast.ExceptHandler(name=str(name)):
                yield name
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case ast.MatchMapping(rest=str(name)):
                yield name
            case ast.MatchClass(kwd_attrs=names) | ast.Global(names=names):
                yield from names
            case ast.Nonlocal(names=names):
                yield from names
            case ast.alias(name=name, asname=asname):
                yield from (part for part in name.split(".") if part != "*")
                yield from [asname] if asname else []
            case ast.ImportFrom(module=str(module)):
                yield from module.split(".")
            case _:
                pass
