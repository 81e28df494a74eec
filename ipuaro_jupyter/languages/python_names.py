"""Names of Python that a change takes away and the file still uses."""

import ast
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Literal

from ipuaro_jupyter.languages.lost_name import LostName, Verb
from ipuaro_jupyter.languages.offered_names import is_offered_to_python
from ipuaro_jupyter.languages.python_errors import python_error

_Scope = Literal["module", "class", "function", "guarded"]
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_READING = {"get", "items", "keys", "values", "copy"}
_PACKAGES = ("__init__.py", "__init__.pyi")
_NOT_TYPES = {"Literal", "Annotated"}


def lost_in_python(path: str, before: bytes, after: bytes) -> list[LostName]:
    """The first use of each name that a module no longer binds, in the order of lines.

    Args:
        path: The file's path.
        before: The old text.
        after: The new text.

    Raises:
        SyntaxError: A text is not Python of this interpreter.
        RecursionError: It is nested too deeply.
    """
    if python_error(before) is not None or python_error(after) is not None:
        return []
    old = ast.parse(before)
    gone = dict(_of_module(old.body))
    names = _Names(ast.parse(after))
    if names.are_computed:
        return []
    exported = [] if "__getattr__" in names.bound else names.exported
    if path.endswith(_PACKAGES):
        modules = _named_modules(old, path)
        exported = [one for one in exported if one[1] not in modules]
    lost: dict[str, int] = {}
    for line, name, scope in (*names.used, *exported):
        if name not in gone or name in names.bound or is_offered_to_python(name, path):
            continue
        if scope != "guarded" and (scope == "function" or name not in names.bound_in_classes):
            lost[name] = min(line, lost.get(name, line))
    return sorted(LostName(line, name, gone[name]) for name, line in lost.items())


class _Names:
    """The names that a module binds and uses, by scope.

    Attributes:
        bound: Those bound in the module or in any function.
        bound_in_classes: Those bound in the body of a class: functions in it do not see them.
        used: Line (1-based), name and scope of each use. "guarded" is where a ``NameError`` is
            caught.
        exported: The same of those that ``__all__`` lists.
        are_computed: Whether it may bind more than it shows.
    """

    def __init__(self, module: ast.Module) -> None:
        self.bound: set[str] = set()
        self.bound_in_classes: set[str] = set()
        self.used: list[tuple[int, str, _Scope]] = []
        self.exported: list[tuple[int, str, _Scope]] = []
        self.are_computed = False
        self._open: list[tuple[ast.AST, _Scope]] = [(module, "module")]
        while self._open:
            self._read(*self._open.pop())
        self.are_computed |= "*" in self.bound

    def _read(self, node: ast.AST, scope: _Scope) -> None:
        """Take one node, and note its children as open."""
        bound = self.bound_in_classes if scope == "class" else self.bound
        bound.update(_bound(node))
        match node:
            case ast.Name(id=name, ctx=context):
                if isinstance(context, ast.Store):
                    bound.add(name)
                else:
                    self.used.append((node.lineno, name, scope))
            case ast.AugAssign(target=ast.Name(id=name) as target, value=value):
                self.used.append((target.lineno, name, scope))
                self._push([value], scope)
                self._read_exports(name, value)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                self._read_function(node, scope)
            case ast.ClassDef():
                self._push(node.body, "class")
                self._push([*node.decorator_list, *node.bases, *node.keywords], scope)
                self._push(getattr(node, "type_params", ()), "function")
            case ast.Try() if any(map(_catches_missing_names, node.handlers)):
                self._push(node.body, "guarded")
                self._push([*node.handlers, *node.orelse, *node.finalbody], scope)
            case ast.Subscript() | ast.Attribute() if _only_reads_globals(node):
                self._push([node.slice] if isinstance(node, ast.Subscript) else [], scope)
            case _:
                self.are_computed |= _computes_names(node, scope)
                self._push(ast.iter_child_nodes(node), scope)
                self._read_annotation(getattr(node, "annotation", None), scope)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            self._read_exports(node.targets[0].id, node.value)

    def _read_function(self, node: _Function | ast.Lambda, scope: _Scope) -> None:
        """A function: its defaults, decorators and annotations belong to the scope around it."""
        arguments = node.args
        self._push([*arguments.defaults, *filter(None, arguments.kw_defaults)], scope)
        given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        self._push([*given, *filter(None, (arguments.vararg, arguments.kwarg))], scope)
        self.bound.update(one.arg for one in ast.walk(arguments) if isinstance(one, ast.arg))
        if isinstance(node, ast.Lambda):
            self._push([node.body], "function")
            return
        self._push(node.decorator_list, scope)
        self._push(filter(None, [node.returns]), scope)
        self._read_annotation(node.returns, scope)
        self._push([*node.body, *getattr(node, "type_params", ())], "function")

    def _push(self, nodes: Iterable[ast.AST], scope: _Scope) -> None:
        self._open.extend((one, scope) for one in nodes)

    def _read_annotation(self, annotation: ast.expr | None, scope: _Scope) -> None:
        """Take the names in the strings of an annotation."""
        for text in _quoted(annotation):
            try:
                inner = ast.parse(str(text.value).strip(), mode="eval")
            except SyntaxError:
                continue
            found = [one.id for one in ast.walk(inner) if isinstance(one, ast.Name)]
            self.used.extend((text.lineno, name, scope) for name in found)

    def _read_exports(self, name: str, value: ast.expr) -> None:
        """Take the names that ``__all__`` lists."""
        if name == "__all__" and isinstance(value, ast.List | ast.Tuple):
            listed = [one for one in value.elts if isinstance(one, ast.Constant)]
            self.exported.extend((one.lineno, str(one.value), "module") for one in listed)


def _named_modules(module: ast.Module, path: str) -> set[str]:
    """The names in the imports of a package that may be those of its modules.

    Such a module is there for ``__all__`` without an import.
    """
    package = PurePosixPath(path).parent.name
    found: set[str] = set()
    for node in ast.walk(module):
        match node:
            case ast.Import(names):
                found.update(part for one in names for part in one.name.split("."))
            case ast.ImportFrom(source, names):
                parts = (source or "").split(".")
                found.update(parts)
                if parts[-1] in {"", package}:
                    found.update(one.name for one in names)
    return found


def _only_reads_globals(node: ast.AST) -> bool:
    """Whether a node takes something out of ``globals()``."""
    match node:
        case ast.Subscript(value=ast.Call(func=ast.Name(id="globals")), ctx=ast.Load()):
            return True
        case ast.Attribute(value=ast.Call(func=ast.Name(id="globals")), attr=attribute):
            return attribute in _READING
    return False


def _computes_names(node: ast.AST, scope: _Scope) -> bool:
    """Whether a node may bind names of the module that the text does not show."""
    match node:
        case ast.Call(func=ast.Name(id="globals")):
            return True
        case ast.Call(func=ast.Name(id="exec")) | ast.Call(ast.Name(id="vars" | "locals"), []):
            return scope != "function"
        case ast.Subscript(slice=ast.Name(id="__name__"), value=ast.Attribute(attr="modules")):
            return True
    return False


def _catches_missing_names(handler: ast.ExceptHandler) -> bool:
    """Whether a handler is there for names that may not exist."""
    caught = handler.type
    kinds = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(isinstance(one, ast.Name) and one.id == "NameError" for one in kinds)


def _quoted(annotation: ast.expr | None) -> Iterator[ast.Constant]:
    """Yield the strings in an annotation that stand for types."""
    open_ = [annotation] if annotation is not None else []
    while open_:
        match open_.pop():
            case ast.Constant(value=str()) as text:
                yield text
            case ast.Subscript(value=ast.Name(id=kind) | ast.Attribute(attr=kind)) as generic:
                if kind not in _NOT_TYPES:
                    open_.append(generic.slice)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                open_.extend(parts)
            case ast.BinOp(left=left, right=right):
                open_.extend((left, right))


def _of_module(body: list[ast.stmt]) -> Iterator[tuple[str, Verb]]:
    """Yield the names that a module binds, not those in functions and classes."""
    for statement in body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            yield from ((name, "imported") for name in _bound(statement))
        elif isinstance(statement, _Function | ast.ClassDef):
            yield statement.name, "declared"
        else:
            yield from ((name, "declared") for name in _assigned(statement))
            for field in ("body", "orelse", "finalbody"):
                yield from _of_module(getattr(statement, field, []))
            for handler in getattr(statement, "handlers", []):
                yield from _of_module(handler.body)


def _assigned(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement itself assigns to."""
    match statement:
        case ast.Assign(targets=targets):
            pass
        case ast.AnnAssign(target=target) | ast.For(target=target) | ast.AsyncFor(target=target):
            targets = [target]
        case ast.With(items=items) | ast.AsyncWith(items=items):
            targets = [one.optional_vars for one in items if one.optional_vars is not None]
        case _:
            targets = []
    for target in targets:
        yield from _named(target)


def _named(target: ast.expr) -> Iterator[str]:
    """Yield the names that an assignment to a target binds."""
    match target:
        case ast.Name(id=name):
            yield name
        case ast.Starred(value=inner):
            yield from _named(inner)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from _named(part)


def _bound(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node other than a name binds; "*" for unknown ones."""
    match node:
        case ast.Import(names):
            yield from (one.asname or one.name.partition(".")[0] for one in names)
        case ast.ImportFrom(module, names):
            if module != "__future__":
                yield from (one.asname or one.name for one in names)
        case ast.MatchMapping(rest=str(name)):
            yield name
        case _ if not isinstance(node, ast.alias):  # functions, classes, handlers, patterns, types
            given = getattr(node, "name", None)
            if isinstance(given, str):
                yield given
