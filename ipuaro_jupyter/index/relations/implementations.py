"""The classes, objects and members that implement others."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ipuaro_jupyter.cancellation import checkpoint
from ipuaro_jupyter.errors import TimeUp
from ipuaro_jupyter.index.binding.function_nodes import returned_values
from ipuaro_jupyter.index.binding.reference_cache import Declaration, LookupState
from ipuaro_jupyter.index.relations.exact_uses import exact_uses
from ipuaro_jupyter.index.relations.source_places import SourcePlaces
from ipuaro_jupyter.languages.language import Node
from ipuaro_jupyter.languages.registry import is_by_name
from ipuaro_jupyter.records.implementations import Implementation, ImplementationKind, Way

_SIGNATURES = frozenset({"abstract_method_signature", "method_signature", "property_signature"})
_STRUCTURAL = (
    "types are compared by structure: what fits without naming it, or one of its kind, is not found"
)
_PARTS_OF_A_TYPE = frozenset({"union_type", "intersection_type", "parenthesized_type"})
_WRAPPED = frozenset({"parenthesized_expression", "as_expression", "satisfies_expression"})
_ASSERTED = frozenset({"as_expression", "satisfies_expression"})


class _Subtype(NamedTuple):
    """A class, interface or object of a type; ``declared`` is None without a name of its own."""

    path: str
    node: Node
    declared: Declaration | None
    of: Declaration
    way: Way
    depth: int
    certain: bool


class FoundImplementations(NamedTuple):
    """Implementations by depth, path and line, and what could not be known."""

    listed: list[Implementation]
    notes: list[str]


class ImplementationSearch:
    """Finds implementations in one state of the index.

    Args:
        asked: That state.
    """

    def __init__(self, asked: LookupState) -> None:
        self._asked = asked
        self._sources = SourcePlaces(asked)
        self._notes: list[str] = []

    def of(self, targets: Iterable[Declaration]) -> FoundImplementations:
        """The implementations of types and members, direct and indirect ones.

        When time runs out, what has been found.

        Args:
            targets: Interfaces, classes, type aliases, or members of these.

        Raises:
            Cancelled: The user stopped it.
        """
        found: dict[tuple[str, int, int], Implementation] = {}
        for target in targets:
            if is_by_name(target[0]):
                self._notes.append(f"{target[0]}: types of its language are not compared")
                continue
            is_type = self._is_type(target)
            listed = self._of_type(target) if is_type else self._of_member(target)
            for one in listed:
                found.setdefault((one.path, one.line, one.column), one)
            owner = target if is_type else (target[0], target[1].rpartition(".")[0])
            if self._is_structural(owner):
                self._notes.append(_STRUCTURAL)
        ordered = sorted(found.values(), key=lambda one: (one.depth, one.path, one.line))
        self._notes += self._asked.files.refusals
        return FoundImplementations(ordered, list(dict.fromkeys(self._notes)))

    def _is_type(self, target: Declaration) -> bool:
        """Whether a declaration is that of a type, rather than a member."""
        path, qualified = target
        records = self._asked.files.file(path).declared.get(qualified, [])
        return "." not in qualified or any("methods" in one or "text" in one for one in records)

    def _is_structural(self, owner: Declaration) -> bool:
        path, qualified = owner
        for record in self._asked.files.file(path).declared.get(qualified, []):
            if "fields" in record or "text" in record or "Protocol" in str(record.get("extends")):
                return True
        return False

    def _of_type(self, target: Declaration) -> Iterator[Implementation]:
        for subtype in self._subtypes(target):
            yield self._described(subtype)

    def _subtypes(self, target: Declaration) -> list[_Subtype]:
        """The classes, interfaces and objects of a type, and those of these."""
        found: list[_Subtype] = []
        seen, level, depth = {target}, [target], 1
        late = False
        while level and not late:
            onward: list[Declaration] = []
            for base in level:
                try:
                    for one in self._direct(base, depth):
                        if one.declared is None or one.declared not in seen:
                            found += [one] if one.way != "inherited" else []
                            if one.declared is not None:
                                onward += self._merged(one.declared) - seen
                                seen.update(onward)
                except TimeUp:
                    late = True
                    break
            level, depth = onward, depth + 1
        if late:
            self._notes.append("the time was up: not all classes were looked at")
        return found

    def _merged(self, declared: Declaration) -> set[Declaration]:
        """A type with its declarations in other files."""
        members = self._asked.references.names.members
        return {declared, *members.merged(declared).declared}

    def _direct(self, base: Declaration, depth: int) -> Iterator[_Subtype]:
        """Yield what names a type as its base or type; aliases of it have the way "inherited"."""
        uses = exact_uses(self._asked, base, self._notes)
        for use in uses.first:
            checkpoint()
            if use.is_definition or (use.declared_in, use.declared_as) != base:
                continue
            node = self._sources.used(use).node
            if node is None:
                self._notes.append(f"{use.path} is not parsed: it may have some")
                continue
            yield from self._named_at(use.path, node, base, depth)

    def _named_at(self, path: str, node: Node, base: Declaration, depth: int) -> Iterator[_Subtype]:
        """Yield what a name of a type makes an implementation of it."""
        heir = self._sources.heritage(path, node)
        if heir is not None:
            yield self._heir(path, heir, base, _way(node), depth)
            return
        if self._sources.is_python(path):
            yield from self._registered(path, node, base, depth)
            return
        mixed = _mixed(node)
        if mixed is not None:
            yield self._heir(path, mixed, base, "mixin", depth)
            return
        alias = _alias(node)
        if alias is not None and (name := self._declared(path, alias)) is not None:
            yield _Subtype(path, alias, name, base, "inherited", depth, certain=True)
        for value in typed_objects(node):
            yield _Subtype(path, value, None, base, "typed", depth, certain=True)

    def _heir(self, path: str, node: Node, base: Declaration, way: Way, depth: int) -> _Subtype:
        declared = self._declared(path, node)
        return _Subtype(path, node, declared, base, way, depth, certain=way != "mixin")

    def _declared(self, path: str, node: Node) -> Declaration | None:
        """The declaration that a class, interface or alias is."""
        qualified = self._sources.named(path, node)
        return (path, qualified) if qualified else None

    def _registered(
        self, path: str, node: Node, base: Declaration, depth: int
    ) -> Iterator[_Subtype]:
        """Yield the class in ``Base.register(Class)``."""
        member = node.parent
        call = member.parent if member is not None else None
        if member is None or call is None or member.type != "attribute" or call.type != "call":
            return
        attribute = member.child_by_field_name("attribute")
        given = call.child_by_field_name("arguments")
        first = given.named_children[0] if given is not None and given.named_children else None
        if attribute is None or attribute.text != b"register" or first is None:
            return
        text = (first.text or b"").decode()
        meant = self._asked.references.python.of(path, text, first.start_byte) or set()
        for one in sorted(meant):
            for class_ in self._sources.nodes_of(one):
                yield _Subtype(one[0], class_, one, base, "registered", depth, certain=True)

    def _described(self, one: _Subtype) -> Implementation:
        name = one.node.child_by_field_name("name")
        if one.declared is not None:
            offsets = self._asked.files.file(one.path).definitions.get(one.declared[1], ())
            at = name.start_byte if name is not None else min(offsets, default=one.node.start_byte)
        else:
            at = one.node.start_byte if name is None or one.way == "typed" else name.start_byte
        spot = self._sources.spot(one.path, at)
        around = self._sources.around(one.path, one.node)
        return Implementation(
            name=one.declared[1] if one.declared else _unnamed(one, around),
            path=one.path,
            line=spot.line,
            column=spot.column,
            kind=_kind(one.node),
            way=one.way,
            of=one.of[1],
            depth=one.depth,
            certain=one.certain,
        )

    def _of_member(self, target: Declaration) -> Iterator[Implementation]:
        """Yield the members that override or implement one."""
        path, qualified = target
        owner, _, name = qualified.rpartition(".")
        above = self._asked.families.ancestors((path, owner)) | {(path, owner)}
        for subtype in self._subtypes((path, owner)):
            checkpoint()
            if subtype.declared is None:
                yield from self._in_node(subtype, target, name)
                continue
            member = (subtype.path, f"{subtype.declared[1]}.{name}")
            if self._asked.files.file(subtype.path).declares(member[1]):
                yield self._member(member, target, "overrides", subtype)
                continue
            for inherited in sorted(self._inherited(subtype.declared, name)):
                holder = (inherited[0], inherited[1].rpartition(".")[0])
                if holder not in above:
                    yield self._member(inherited, target, "inherited", subtype)
        yield from self._keys(target)

    def _keys(self, target: Declaration) -> Iterator[Implementation]:
        """Yield the keys in objects that get their type from where they are given to."""
        qualified = target[1]
        uses = exact_uses(self._asked, target, self._notes)
        for use in uses.first:
            checkpoint()
            if use.is_definition or (use.declared_in, use.declared_as) != target:
                continue
            node = self._sources.used(use).node
            if node is None or not is_key(node):
                continue
            around = self._sources.around(use.path, node)
            name = qualified.rpartition(".")[2]
            yield Implementation(
                name=f"{around}.{name}" if around else name,
                path=use.path,
                line=use.line,
                column=use.column,
                kind="member",
                way="typed",
                of=qualified,
            )

    def _inherited(self, owner: Declaration, name: str) -> set[Declaration]:
        if self._sources.is_python(owner[0]):
            return set(self._asked.references.python.inherited.of((owner, name)))
        return self._asked.references.names.members.find(owner, name)

    def _in_node(
        self, subtype: _Subtype, target: Declaration, name: str
    ) -> Iterator[Implementation]:
        """Yield a member of an object, or of a class without a name."""
        key = key_in(subtype.node, name)
        if key is None:
            return
        spot = self._sources.spot(subtype.path, key.start_byte)
        around = _unnamed(subtype, self._sources.around(subtype.path, subtype.node))
        yield Implementation(
            name=f"{around}.{name}",
            path=subtype.path,
            line=spot.line,
            column=spot.column,
            kind="member",
            way="overrides",
            of=target[1],
            depth=subtype.depth,
        )

    def _member(
        self, member: Declaration, target: Declaration, way: Way, subtype: _Subtype
    ) -> Implementation:
        path, qualified = member
        offsets = self._asked.files.file(path).definitions[qualified]
        nodes = [self._sources.node(path, at, qualified.rpartition(".")[2]) for at in offsets]
        bodies = [at for at, node in zip(offsets, nodes, strict=True) if _has_body(node)]
        spot = self._sources.spot(path, (bodies or offsets)[-1 if bodies else 0])
        return Implementation(
            name=qualified,
            path=path,
            line=spot.line,
            column=spot.column,
            kind="member",
            way=way,
            of=target[1],
            depth=subtype.depth,
            has_body=bool(bodies),
            certain=subtype.certain,
        )


def _way(name: Node) -> Way:
    """How a class or interface names its base."""
    around: Node | None = name
    while around is not None:
        if around.type == "implements_clause":
            return "implements"
        if around.type in {"class_heritage", "extends_type_clause", "argument_list"}:
            break
        around = around.parent
    return "extends"


def _mixed(name: Node) -> Node | None:
    """The class whose base a call makes that gets the class of that name."""
    around = name.parent
    is_given = False
    while around is not None and around.type in {"arguments", "call_expression", "extends_clause"}:
        is_given |= around.type == "arguments"
        around = around.parent
    if around is None or around.type != "class_heritage" or not is_given:
        return None
    return around.parent


def _alias(name: Node) -> Node | None:
    """The type alias that is the type of that name, or is made of it."""
    inner, around = name, name.parent
    while around is not None and around.type in {"generic_type", "intersection_type"}:
        if around.type == "generic_type" and around.child_by_field_name("name") != inner:
            return None
        inner, around = around, around.parent
    if around is None or around.type != "type_alias_declaration":
        return None
    return around if around.child_by_field_name("value") == inner else None


def _kind(node: Node) -> ImplementationKind:
    if node.type == "object":
        return "object"
    if node.type.startswith("interface"):
        return "interface"
    return "abstract class" if node.type.startswith("abstract") else "class"


def _unnamed(one: _Subtype, around: str) -> str:
    """What something without a name of its own is called: by the variable, or what is around it."""
    holder = one.node.parent
    while holder is not None and holder.type in {"parenthesized_expression", "as_expression"}:
        holder = holder.parent
    name = holder.child_by_field_name("name") if holder is not None else None
    if name is not None and holder is not None and holder.child_by_field_name("value") is not None:
        own = (name.text or b"").decode()
        return f"{around}.{own}" if around else own
    return around or "(without a name)"


def _has_body(name: Node | None) -> bool:
    return name is None or name.parent is None or name.parent.type not in _SIGNATURES


def typed_objects(name: Node) -> Iterator[Node]:
    """Yield the objects that are of the type of that name, as their variable or function says."""
    inner, around = name, name.parent
    while around is not None and (
        around.type in _PARTS_OF_A_TYPE
        or (around.type == "generic_type" and around.child_by_field_name("name") == inner)
        or (around.type == "nested_type_identifier" and around.named_children[-1] == inner)
    ):
        inner, around = around, around.parent
    if around is None:
        return
    values: list[Node] = []
    if around.type in _ASSERTED and around.named_children[0] != inner:
        values = around.named_children[:1]
    elif around.type == "type_annotation" and around.parent is not None:
        holder = around.parent
        value = holder.child_by_field_name("value")
        if holder.child_by_field_name("return_type") == around:
            values = returned_values(holder)
        elif value is not None:
            values = [value]
    for value in values:
        while value.type in _WRAPPED and value.named_children:
            value = value.named_children[0]  # noqa: PLW2901 - what it wraps
        if value.type == "object":
            yield value


def key_in(holder: Node, name: str) -> Node | None:
    """The node of a member's name in an object, or in a class."""
    body = holder.child_by_field_name("body") or holder
    for child in body.named_children:
        key = child.child_by_field_name("key") or child.child_by_field_name("name")
        if child.type == "shorthand_property_identifier":
            key = child
        if key is not None and (key.text or b"").decode().strip("'\"") == name:
            return key
    return None


def is_key(name: Node) -> bool:
    """Whether a name is that of a property or method in an object literal."""
    if name.type == "shorthand_property_identifier":
        return True
    parent = name.parent
    if parent is None:
        return False
    if parent.type == "pair":
        return parent.child_by_field_name("key") == name
    around = parent.parent
    is_method = parent.type == "method_definition" and around is not None
    return is_method and around is not None and around.type == "object"
