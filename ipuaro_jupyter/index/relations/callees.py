"""The functions that a function calls, and those that they call."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.errors import TimeUp
from ipuaro_jupyter.index.binding.reference_cache import Declaration, LookupState
from ipuaro_jupyter.index.relations.callers import FoundCalls
from ipuaro_jupyter.index.relations.implicit_calls import constructed, constructor_of
from ipuaro_jupyter.index.relations.source_places import TOP, SourcePlaces
from ipuaro_jupyter.languages.language import Node
from ipuaro_jupyter.languages.registry import is_code
from ipuaro_jupyter.records.calls import CallKind, CallSite

_MOST_FOLLOWED = 300
_MOST_CANDIDATES = 10
_WRAPPED = frozenset(
    {
        *("parenthesized_expression", "non_null_expression", "as_expression"),
        *("satisfies_expression", "instantiation_expression", "await"),
    }
)
_ELEMENTS = frozenset({"jsx_opening_element", "jsx_self_closing_element"})
_NAMES = frozenset(
    {
        *("identifier", "property_identifier", "private_property_identifier", "type_identifier"),
        "shorthand_property_identifier",
    }
)
_MEMBERS = {"member_expression": "property", "attribute": "attribute"}
_NESTED = "nested_identifier"
_CALLS = frozenset({"call_expression", "call"})


class _Called(NamedTuple):
    """The function of a call: the node of its name, None for one without; how it is called."""

    name: Node | None
    at: Node
    kind: CallKind


class Callees:
    """Finds what functions call, in one state of the index.

    Args:
        asked: That state.
    """

    def __init__(self, asked: LookupState) -> None:
        self._asked = asked
        self._sources = SourcePlaces(asked)

    def of(self, targets: Iterable[Declaration], *, depth: int) -> FoundCalls:
        """The calls in functions, in the functions that these call, and so on.

        Nested functions with names count by themselves. When time runs out, what has been found.

        Args:
            targets: The functions, methods or classes; a class stands for its constructor.
            depth: How far to go; 1 for direct calls.

        Raises:
            Cancelled: The user stopped it.
        """
        found = FoundCalls()
        level = list(dict.fromkeys(constructor_of(self._asked, one) for one in targets))
        chains = {target: frozenset({target}) for target in level}
        late = followed = 0
        for at in range(1, depth + 1):
            onward: dict[Declaration, frozenset[Declaration]] = {}
            for target in level:
                try:
                    checkpoint()
                    sites = list(self._sites(target, found, first=at == 1))
                except TimeUp:
                    late += 1
                    continue
                followed += 1
                for site in sites:
                    callee = (site.callee_path or "", site.callee)
                    callee = constructor_of(self._asked, callee)
                    known = callee in chains or callee in onward
                    is_cycle = callee in chains[target]
                    marked = {"depth": at, "is_cycle": is_cycle}
                    marked["is_repeated"] = known and not is_cycle and at < depth
                    found.calls.append(site.model_copy(update=marked))
                    if not known:
                        onward[callee] = chains[target] | {callee}
            chains.update(onward)
            level = list(onward)
            if followed + len(level) > _MOST_FOLLOWED and at < depth:
                left = min(len(level), followed + len(level) - _MOST_FOLLOWED)
                level = level[: len(level) - left]
                found.notes.append(f"{left} callees at depth {at} were not followed")
        if late:
            found.notes.append(f"the time was up: {late} functions were not looked into")
        found.notes += self._asked.files.refusals
        return found

    def _sites(self, target: Declaration, found: FoundCalls, *, first: bool) -> Iterator[CallSite]:
        """Yield the certain calls in a function; add the others if it is one of the ``first``."""
        path, _ = target
        nodes = list(self._sources.nodes_of(target))
        if not nodes and first and not self._sources.is_parsed(path):
            found.notes.append(f"{path} is not parsed: its calls are not known")
        dynamic = 0
        for node in nodes:
            for called in sorted(self._called_in(path, node), key=lambda one: one.at.start_byte):
                checkpoint()
                name = called.name
                declared = set() if name is None else self._meant(path, name)
                for one in sorted(declared):
                    yield self._site(target, called, one)
                if declared or not first:
                    continue
                if name is None:
                    dynamic += 1
                else:
                    self._note_other(target, called, name, found)
        if dynamic:
            calls = "call" if dynamic == 1 else "calls"
            found.notes.append(f"{dynamic} {calls} of the value of an expression: not known")

    def _meant(self, path: str, name: Node) -> set[Declaration]:
        if name.type == "super":
            return self._super(path, name)
        text = (name.text or b"").decode()
        names = self._asked.references.names
        meant = names.of(path, text, name.start_byte)
        if meant is None:
            meant = self._asked.references.python.of(path, text, name.start_byte)
        return set() if meant is None else {one for one in meant if is_code(one[0])}

    def _super(self, path: str, name: Node) -> set[Declaration]:
        """The bases of the class around a ``super(…)``."""
        owner = constructed((path, self._sources.around(path, name)))
        bases = self._asked.references.names.members.bases(owner)
        return {one for one in bases if any(map(_is_class, self._sources.nodes_of(one)))}

    def _note_other(
        self, target: Declaration, called: _Called, name: Node, found: FoundCalls
    ) -> None:
        """Add a call whose function is not declared in the project, or may be."""
        path, text = target[0], (name.text or b"").decode()
        references = self._asked.references
        if self._sources.is_python(path):
            is_open = references.python.is_open(path, text, name.start_byte)
        else:
            is_open = references.names.is_open(path, text, name.start_byte)
        candidates = self._candidates(text) if is_open else []
        if not candidates:
            found.outside.add(self._told(path, called, text))
            return
        site = self._site(target, called, None)
        found.by_name.append(site.model_copy(update={"may_be": tuple(candidates)}))

    def _told(self, path: str, called: _Called, text: str) -> str:
        """The name of a called function, with the object that it is a member of, if that is short.

        A value of the function itself, such as a parameter, is marked.
        """
        name = called.name
        member = name.parent if name is not None else None
        if name is None or member is None:
            return text
        if member.type in _MEMBERS:
            whole = (member.text or b"").decode()
            return whole if whole.replace(".", "").replace("_", "").isalnum() else f"….{text}"
        if self._is_value(path, name, text):
            return f"{text} (a value)"
        return text

    def _is_value(self, path: str, name: Node, text: str) -> bool:
        tree = self._asked.files.tree(path)
        if tree is None:
            scopes = self._asked.references.python.scopes(path)
            scope = None if scopes is None else scopes.binding(text, name.start_byte)
            return scope is not None
        return any(not tree.is_at_top(bound) for bound in tree.bound(text, name))

    def _candidates(self, name: str) -> list[str]:
        """The members of that name in the code of the project."""
        entries = self._asked.stored.called([name]).get(name, ())
        found = {
            f"{self._asked.paths[entry.number]}: {entry.qualified}"
            for entry in entries
            if "." in entry.qualified and is_code(self._asked.paths.get(entry.number, ""))
        }
        return sorted(found)[:_MOST_CANDIDATES]

    def _site(self, target: Declaration, called: _Called, callee: Declaration | None) -> CallSite:
        path, qualified = target
        spot = self._sources.spot(path, called.at.start_byte)
        text = (called.at.text or b"").decode(errors="replace")
        return CallSite(
            caller=qualified,
            path=path,
            line=spot.line,
            column=spot.column,
            caller_line=self._sources.line_of(target) if qualified != TOP else 1,
            callee=text if callee is None else callee[1],
            callee_path=None if callee is None else callee[0],
            callee_line=None if callee is None else self._sources.line_of(callee),
            kind=called.kind,
        )

    def _called_in(self, path: str, function: Node) -> Iterator[_Called]:
        """Yield the calls in a function, without those in other named functions inside it."""
        waiting = list(function.children)
        above = self._sources.decorated(path, function)
        if above is not None:
            waiting += [child for child in above.children if child.type == "decorator"]
        while waiting:
            node = waiting.pop()
            called = _called(node)
            if called is not None:
                yield called
            if self._sources.declared_by(path, node) is None:
                waiting += node.children


def _called(node: Node) -> _Called | None:
    """The function that a node calls; None for a node that is no call."""
    function, kind = _function(node)
    if function is None or function.type == "import":
        return None
    name = _last_name(function)
    if kind == "element" and (name is None or (name == function and _is_lower(name))):
        return None  # an element of HTML
    return _Called(name, name or function, "super" if function.type == "super" else kind)


def _function(node: Node) -> tuple[Node | None, CallKind]:
    """The expression that a node calls, and how; None for a node that is no call."""
    if node.type in _CALLS:
        return node.child_by_field_name("function"), "call"
    if node.type == "new_expression":
        return node.child_by_field_name("constructor"), "new"
    if node.type in _ELEMENTS:
        return node.child_by_field_name("name"), "element"
    if node.type == "decorator":
        value = next((child for child in node.named_children if child.type != "comment"), None)
        return (None if value is None or value.type in _CALLS else value), "decorator"
    return None, "call"


def _is_lower(name: Node) -> bool:
    return (name.text or b"")[:1].islower()


def _last_name(function: Node) -> Node | None:
    """The name at the end of an expression; that of ``f`` in ``f.call(this)``."""
    while function.type in _WRAPPED and function.named_children:
        function = function.named_children[0]
    if function.type in _NAMES or function.type == "super":
        return function
    if function.type == _NESTED and function.named_children:
        return function.named_children[-1]
    field = _MEMBERS.get(function.type)
    last = None if field is None else function.child_by_field_name(field)
    if last is None or field != "property" or last.text not in {b"call", b"apply"}:
        return last
    object_ = function.child_by_field_name("object")
    inner = None if object_ is None else _last_name(object_)
    return inner or last


def _is_class(node: Node) -> bool:
    return "class" in node.type
