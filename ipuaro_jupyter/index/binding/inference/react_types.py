"""The types and functions of React that pass on what they are given, whether installed or not."""

from functools import cache

from ipuaro_jupyter.index.binding.inference.type_reader import type_syntax
from ipuaro_jupyter.index.binding.inference.type_syntax import Member, Object, Syntax

MODULES = frozenset({"react", "preact", "preact/compat", "preact/hooks"})
"""The modules that have them."""

_COMPONENTS = (
    *("FC", "FunctionComponent", "VFC", "VoidFunctionComponent", "ComponentType", "ComponentClass"),
    *(
        "ExoticComponent",
        "NamedExoticComponent",
        "ForwardRefExoticComponent",
        "JSXElementConstructor",
    ),
)
_TYPES = {
    **dict.fromkeys(_COMPONENTS, (("P",), "(props: P) => any")),
    "MemoExoticComponent": (("C",), "C"),
    "LazyExoticComponent": (("C",), "C"),
    "ForwardRefRenderFunction": (("R", "P"), "(props: P, ref: any) => any"),
    **dict.fromkeys(("PropsWithChildren", "PropsWithRef", "PropsWithoutRef"), (("P",), "P")),
    **dict.fromkeys(("RefObject", "MutableRefObject"), (("T",), "{ current: T }")),
    "Context": (("T",), "{ held: T; Provider: (props: { value: T }) => any }"),
    "Component": (("P", "S"), "{ props: P; state: S }"),
    "PureComponent": (("P", "S"), "{ props: P; state: S }"),
    "Dispatch": (("A",), "(action: A) => void"),
    "SetStateAction": (("S",), "S | ((before: S) => S)"),
}
_FUNCTIONS = """{
    memo<P>(component: (props: P) => any): (props: P) => any;
    forwardRef<R, P>(render: (props: P, ref: R) => any): (props: P) => any;
    lazy<C>(load: () => Promise<{ default: C }>): C;
    useRef<T>(first: T): { current: T };
    createRef<T>(): { current: T };
    useState<S>(first: S | (() => S)): [S, (next: S | ((before: S) => S)) => void];
    useMemo<T>(make: () => T): T;
    useCallback<T>(function_: T): T;
    createContext<T>(first: T): { held: T; Provider: (props: { value: T }) => any };
    useContext<T>(context: { held: T }): T;
    useDeferredValue<T>(value: T): T;
}"""


@cache
def react_type(name: str) -> tuple[tuple[str, ...], Syntax] | None:
    """The type parameters of a type of React, and what it stands for; None for others."""
    if name not in _TYPES:
        return None
    parameters, text = _TYPES[name]
    return parameters, type_syntax(text)


@cache
def react_functions() -> dict[str, Member]:
    """The functions of React, by name."""
    found = type_syntax(_FUNCTIONS)
    return {one.name: one for one in found.members} if isinstance(found, Object) else {}
