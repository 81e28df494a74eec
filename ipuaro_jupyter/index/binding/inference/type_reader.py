"""Reads types as written in TypeScript."""

import re
from functools import lru_cache

from ipuaro_jupyter.index.binding.inference.type_syntax import (
    OTHER,
    Compound,
    Conditional,
    FunctionSyntax,
    Indexed,
    KeyOf,
    Mapped,
    Member,
    Named,
    Object,
    ParameterSyntax,
    Predicate,
    Syntax,
    Text,
    Tuple,
    WholeModule,
)

_SIGNS = re.compile(
    r"""(?>(?:\s+|/\*.*?\*/|//[^\n]*)*)
    ((?P<name>(?:[^\W\d]|[$\#])[\w$]*)|(?P<text>"[^"\n]*"|'[^'\n]*'|`[^`]*`|-?\d[\w.]*)
    |(?P<sign>\.\.\.|=>|\?\.|[-+]readonly|[-+]\?|[<>()\[\]{}|&,;:.?=*!@+-])
    |(?P<end>\Z))""",
    re.DOTALL | re.VERBOSE,
)
_NO_SIGN = "\0"
"""Stands for the rest of a text from a sign on that is not known."""

_MOST_DEPTH = 20
_MODIFIERS = frozenset({"readonly", "static", "public", "private", "protected", "abstract"})
_AFTER_NAME = frozenset({":", "?", "(", "<", ";", ",", "}", ""})


@lru_cache(maxsize=8192)
def type_syntax(text: str) -> Syntax:
    """The syntax of a type; `OTHER` when it is not understood.

    Args:
        text: The type as written; the colon of an annotation may stand before it.
    """
    reader = _TypeReader(text)
    try:
        if reader.sees(":"):
            reader.next()
        found = reader.type()
        return found if reader.is_at_end() else OTHER
    except _NotUnderstoodError:
        return OTHER


@lru_cache(maxsize=2048)
def type_parameters(text: str, *, by_default: bool = False) -> tuple[tuple[str, Syntax], ...]:
    """The names of type parameters with their constraints, from ``<T extends A = B>``.

    Args:
        text: The parameters as written.
        by_default: Whether to give their defaults, where there are some, instead.
    """
    reader = _TypeReader(text)
    try:
        return reader.type_parameters(by_default=by_default)
    except _NotUnderstoodError:
        return ()


class _NotUnderstoodError(Exception):
    """The text is not a type, or too deep."""


class _TypeReader:
    """Reads a type by recursive descent."""

    def __init__(self, text: str) -> None:
        self._signs: list[str] = []
        place = 0
        while (found := _SIGNS.match(text, place)) is not None and found["end"] is None:
            self._signs.append(found[1])
            place = found.end()
        if found is None:
            self._signs.append(_NO_SIGN)
        self._at = 0
        self._depth = 0

    def is_at_end(self) -> bool:
        """Whether the whole text was read, but for what separates it from what follows."""
        self._skip(";", ",")
        return self.sees("")

    def sees(self, *signs: str) -> bool:
        """Whether the next sign is one of these."""
        return self._peek() in signs

    def next(self) -> str:
        """Read a sign."""
        sign = self._peek()
        if sign == _NO_SIGN:
            raise _NotUnderstoodError
        self._at += 1
        return sign

    def type(self) -> Syntax:
        """Read a type."""
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise _NotUnderstoodError
        try:
            return self._type()
        finally:
            self._depth -= 1

    def type_parameters(self, *, by_default: bool = False) -> tuple[tuple[str, Syntax], ...]:
        """Read ``<T extends A = B>``; nothing when there is none."""
        found: list[tuple[str, Syntax]] = []
        if not self.sees("<"):
            return ()
        self.next()
        while not self.sees(">", ""):
            name = self.next()
            limit: Syntax = OTHER
            while name in {"const", "in", "out"} and not self.sees(",", ">", "extends", "="):
                name = self.next()
            while self.sees("extends", "="):
                is_limit = self.next() == "extends"
                said = self.type()
                limit = said if is_limit or by_default or limit == OTHER else limit
            found.append((name, limit))
            self._skip(",")
        self._expect(">")
        return tuple(found)

    def _peek(self, ahead: int = 0) -> str:
        place = self._at + ahead
        return self._signs[place] if place < len(self._signs) else ""

    def _skip(self, *signs: str) -> None:
        if self.sees(*signs):
            self.next()

    def _expect(self, sign: str) -> None:
        if self.next() != sign:
            raise _NotUnderstoodError

    def _type(self) -> Syntax:
        if self.sees("asserts") and self._is_word(1):
            self.next()
            name = self.next()
            limit = self._after_is() if self.sees("is") else OTHER
            return Predicate(name, limit, is_assertion=True)
        if self._peek(1) == "is" and self._is_word():
            name = self.next()
            return Predicate(name, self._after_is(), is_assertion=False)
        if self.sees("new", "abstract") and self._peek(1) in {"(", "<", "new"}:
            self._skip("abstract")
            self.next()
        if self.sees("<") or (self.sees("(") and self._is_function()):
            return self._function("=>")
        found = self._union()
        if not self.sees("extends"):
            return found
        self.next()
        extended = self._union()
        self._expect("?")
        then = self.type()
        self._expect(":")
        return Conditional(found, extended, then, self.type())

    def _after_is(self) -> Syntax:
        self.next()
        return self.type()

    def _is_word(self, ahead: int = 0) -> bool:
        sign = self._peek(ahead)
        return bool(sign) and (sign[0].isalpha() or sign[0] in "_$")

    def _is_function(self) -> bool:
        """Whether a bracket opens the parameters of a function type."""
        depth, place = 0, 0
        while sign := self._peek(place):
            depth += (sign in {"(", "[", "{"}) - (sign in {")", "]", "}"})
            if depth == 0:
                return self._peek(place + 1) == "=>"
            place += 1
        return False

    def _function(self, arrow: str) -> FunctionSyntax:
        parameters = self.type_parameters()
        given = self._parameters()
        if not self.sees(arrow):
            return FunctionSyntax(parameters, given, OTHER)
        self.next()
        return FunctionSyntax(parameters, given, self.type())

    def _parameters(self) -> tuple[ParameterSyntax, ...]:
        found: list[ParameterSyntax] = []
        self._expect("(")
        while not self.sees(")", ""):
            is_rest = self.sees("...")
            self._skip("...")
            if self.sees("{", "["):
                name = ""
                self.type()
            else:
                name = self.next()
            self._skip("?")
            said: Syntax = OTHER
            if self.sees(":"):
                self.next()
                said = self.type()
            found.append(ParameterSyntax(name, said, is_rest))
            self._skip(",")
        self._expect(")")
        return tuple(found)

    def _union(self) -> Syntax:
        self._skip("|", "&")
        parts = [self._postfix()]
        while self.sees("|", "&"):
            self.next()
            if self.sees("(") and self._is_function():
                parts.append(self._function("=>"))
            else:
                parts.append(self._postfix())
        return parts[0] if len(parts) == 1 else Compound(tuple(parts))

    def _postfix(self) -> Syntax:
        if self.sees("keyof") and self._peek(1) not in _AFTER_NAME:
            self.next()
            return KeyOf(self._postfix())
        if self.sees("readonly", "unique", "infer") and (self._is_word(1) or self._is_open(1)):
            word = self.next()
            found = self._postfix()
            return OTHER if word == "infer" else found
        found = self._primary()
        while self.sees("["):
            self.next()
            is_array = self.sees("]")
            found = Named(("Array",), (found,)) if is_array else Indexed(found, self.type())
            self._expect("]")
        return found

    def _is_open(self, ahead: int) -> bool:
        return self._peek(ahead) in {"(", "[", "{"}

    def _primary(self) -> Syntax:
        sign = self._peek()
        if sign == "(":
            self.next()
            found = self.type()
            self._expect(")")
            return found
        if sign == "{":
            return self._object()
        if sign == "[":
            return self._tuple()
        if sign and (sign[0] in "\"'`-" or sign[0].isdigit()):
            return Text(self.next())
        if not self._is_word():
            raise _NotUnderstoodError
        return self._named()

    def _named(self) -> Syntax:
        is_value = self.sees("typeof") and self._is_word(1)
        if is_value:
            self.next()
        source = ""
        names = [self.next()]
        if names == ["import"] and self.sees("("):
            self.next()
            source = self.next()[1:-1]
            while not self.sees(")", ""):  # { with: … }
                self.next()
            self._expect(")")
            names = []
            if is_value and not self.sees("."):
                return WholeModule(source)
        while self.sees(".") or not names:
            self._expect(".")
            names.append(self.next())
        args: list[Syntax] = []
        if self.sees("<"):
            self.next()
            while not self.sees(">", ""):
                args.append(self.type())
                self._skip(",")
            self._expect(">")
        return Named(tuple(names), tuple(args), is_value, source)

    def _tuple(self) -> Syntax:
        self._expect("[")
        parts: list[Syntax] = []
        while not self.sees("]", ""):
            self._skip("...")
            if self._is_word() and (self._peek(1) == ":" or self._peek(1) + self._peek(2) == "?:"):
                self.next()
                self._skip("?")
                self._expect(":")
            parts.append(self.type())
            self._skip("?")
            self._skip(",")
        self._expect("]")
        return Tuple(tuple(parts))

    def _object(self) -> Syntax:
        self._expect("{")
        members: list[Member] = []
        while not self.sees("}", ""):
            self._skip("-readonly", "+readonly")
            while self.sees(*_MODIFIERS) and self._peek(1) not in _AFTER_NAME:
                self.next()
            is_read = False
            if self.sees("["):
                self.next()
                name = self.next()
                said: Syntax = OTHER
                if self.sees("in"):
                    return self._mapped(name)
                if self.sees(":"):
                    self.next()
                    self.type()
                    name = ""
                else:
                    name = name[1:-1] if name[:1] in {'"', "'"} else "[]"
                    while not self.sees("]", ""):
                        self.next()
                self._expect("]")
            else:
                is_read = self.sees("get") and self._peek(1) not in _AFTER_NAME
                name = self._member_name()
            self._skip("?", "-?", "+?", "!")
            if self.sees("(", "<"):
                signature = self._function(":")
                said = signature.returned if is_read else signature
            else:
                said = OTHER
                if self.sees(":"):
                    self.next()
                    said = self.type()
            members.append(Member(name, said))
            self._skip(";", ",")
        self._expect("}")
        return Object(tuple(members))

    def _member_name(self) -> str:
        """The name of a member; "()" for a signature without one."""
        if self.sees("(", "<"):
            return "()"
        if self.sees("new", "get", "set") and self._peek(1) not in _AFTER_NAME:
            self.next()
        elif self.sees("new") and self._peek(1) in {"(", "<"}:
            self.next()
            return "new"
        name = self.next()
        if not name or name in {")", "]", ">"}:
            raise _NotUnderstoodError
        return name[1:-1] if name[0] in "\"'" else name

    def _mapped(self, name: str) -> Syntax:
        self.next()
        keys = self.type()
        while self.sees("as"):
            self.next()
            self.type()
        self._expect("]")
        self._skip("?", "-?", "+?")
        said: Syntax = OTHER
        if self.sees(":"):
            self.next()
            said = self.type()
        self._skip(";", ",")
        self._expect("}")
        return Mapped(name, keys, said)
