"""The members of the built-in types of JavaScript, as far as they return what they are given."""

from functools import cache

from ipuaro_jupyter.index.binding.inference.type_reader import type_syntax
from ipuaro_jupyter.index.binding.inference.type_syntax import (
    Member,
    Object,
)

_ITERATED = "Iterable<T>"
_MEMBERS = {
    ("Array", "T"): """{
        length: number;
        at(i: number): T; pop(): T; shift(): T;
        push(...v: T[]): number; unshift(...v: T[]): number;
        slice(): T[]; splice(s: number, n: number, ...v: T[]): T[]; reverse(): T[];
        toReversed(): T[]; toSpliced(s: number, n: number, ...v: T[]): T[];
        toSorted(f: (a: T, b: T) => number): T[]; with(i: number, v: T): T[];
        sort(f: (a: T, b: T) => number): T[];
        concat(...v: T[]): T[]; fill(v: T): T[]; copyWithin(): T[];
        includes(v: T): boolean; indexOf(v: T): number; lastIndexOf(v: T): number;
        join(s: string): string; toString(): string;
        filter<S extends T>(f: (v: T, i: number, all: T[]) => v is S): S[];
        find<S extends T>(f: (v: T, i: number, all: T[]) => v is S): S;
        findLast<S extends T>(f: (v: T, i: number, all: T[]) => v is S): S;
        findIndex(f: (v: T, i: number, all: T[]) => boolean): number;
        findLastIndex(f: (v: T, i: number, all: T[]) => boolean): number;
        some(f: (v: T, i: number, all: T[]) => boolean): boolean;
        every(f: (v: T, i: number, all: T[]) => boolean): boolean;
        forEach(f: (v: T, i: number, all: T[]) => void): void;
        map<U>(f: (v: T, i: number, all: T[]) => U): U[];
        flatMap<U>(f: (v: T, i: number, all: T[]) => U | U[]): U[];
        flat(): FlatElement<T>[];
        reduce<U>(f: (a: U, v: T, i: number, all: T[]) => U, first: U): U;
        reduceRight<U>(f: (a: U, v: T, i: number, all: T[]) => U, first: U): U;
        entries(): Iterable<[number, T]>; keys(): Iterable<number>; values(): Iterable<T>;
    }""",
    ("Iterable", "T"): """{
        next(): { done: boolean; value: T }; return(): any; throw(): any;
        map<U>(f: (v: T, i: number) => U): Iterable<U>;
        filter<S extends T>(f: (v: T, i: number) => v is S): Iterable<S>;
        find(f: (v: T, i: number) => boolean): T; toArray(): T[];
        forEach(f: (v: T, i: number) => void): void;
        some(f: (v: T) => boolean): boolean; every(f: (v: T) => boolean): boolean;
        take(n: number): Iterable<T>; drop(n: number): Iterable<T>;
    }""",
    ("AsyncIterable", "T"): "{ next(): Promise<{ done: boolean; value: T }>; return(): any }",
    ("Map", "K", "V"): """{
        size: number; get(k: K): V; set(k: K, v: V): Map<K, V>; has(k: K): boolean;
        delete(k: K): boolean; clear(): void;
        forEach(f: (v: V, k: K, all: Map<K, V>) => void): void;
        keys(): Iterable<K>; values(): Iterable<V>; entries(): Iterable<[K, V]>;
    }""",
    ("Set", "T"): """{
        size: number; add(v: T): Set<T>; has(v: T): boolean; delete(v: T): boolean; clear(): void;
        forEach(f: (v: T, k: T, all: Set<T>) => void): void;
        keys(): Iterable<T>; values(): Iterable<T>; entries(): Iterable<[T, T]>;
        union(o: Set<T>): Set<T>; intersection(o: Set<T>): Set<T>; difference(o: Set<T>): Set<T>;
    }""",
    ("WeakMap", "K", "V"): """{
        get(k: K): V; set(k: K, v: V): WeakMap<K, V>; has(k: K): boolean; delete(k: K): boolean;
    }""",
    ("WeakSet", "T"): "{ add(v: T): WeakSet<T>; has(v: T): boolean; delete(v: T): boolean }",
    ("WeakRef", "T"): "{ deref(): T }",
    ("Promise", "T"): """{
        then<U, E>(f: (v: T) => U | Promise<U>, g: (e: any) => E): Promise<U>;
        catch(f: (e: any) => any): Promise<T>; finally(f: () => void): Promise<T>;
    }""",
    ("string",): """{
        length: number; at(i: number): string; charAt(i: number): string; trim(): string;
        slice(): string; substring(): string; substr(): string; split(): string[];
        toLowerCase(): string; toUpperCase(): string; replace(): string; replaceAll(): string;
        padStart(): string; padEnd(): string; repeat(): string; concat(): string;
        trimStart(): string; trimEnd(): string; normalize(): string; indexOf(): number;
        toString(): string; match(): any; matchAll(): any; charCodeAt(): number;
        includes(): boolean; startsWith(): boolean; endsWith(): boolean; search(): number;
        lastIndexOf(): number; codePointAt(): number; localeCompare(): number; valueOf(): string;
    }""",
    ("number",): "{ toString(): string; toFixed(): string; valueOf(): number }",
    ("boolean",): "{ toString(): string; valueOf(): boolean }",
}

STATIC = {
    "Array": "{ from<T>(v: Iterable<T>): T[]; of<T>(...v: T[]): T[]; isArray(v: any): boolean }",
    "Promise": """{
        resolve<T>(v: T): Promise<T>; reject(e: any): Promise<any>;
        all<T>(v: Array<T>): Promise<Awaited<T>[]>; race<T>(v: Array<T>): Promise<Awaited<T>>;
        any<T>(v: Array<T>): Promise<Awaited<T>>;
    }""",
    "Object": """{
        keys(o: any): string[]; values<T>(o: Record<string, T>): T[];
        entries<T>(o: Record<string, T>): [string, T][]; freeze<T>(o: T): T; seal<T>(o: T): T;
        assign<T>(o: T): T;
    }""",
    "JSON": "{ stringify(v: any): string; parse(v: string): any }",
    "Math": "{}",
}
"""The members of global objects."""

SCALARS = frozenset({"string", "number", "boolean", "bigint", "symbol", "void", "never", "RegExp"})
NULLS = frozenset({"null", "undefined", "never"})
NAMES = {
    "ReadonlyArray": "Array",
    "ArrayLike": "Array",
    "ReadonlyMap": "Map",
    "ReadonlySet": "Set",
    "PromiseLike": "Promise",
    "IterableIterator": "Iterable",
    "Iterator": "Iterable",
    "Generator": "Iterable",
    "IteratorObject": "Iterable",
    "MapIterator": "Iterable",
    "SetIterator": "Iterable",
    "ArrayIterator": "Iterable",
    "AsyncIterableIterator": "AsyncIterable",
    "AsyncGenerator": "AsyncIterable",
    "AsyncIterator": "AsyncIterable",
}
"""Built-in types that have the members of another one, as far as it matters here."""

_INTERFACES = {
    "Tuple": "Array",
    "string": "String",
    "number": "Number",
    "boolean": "Boolean",
    "bigint": "BigInt",
    "symbol": "Symbol",
}
PASSING = frozenset(
    {
        *("Partial", "Required", "Readonly", "NonNullable", "Omit", "Pick"),
        *("ThisType", "NoInfer"),
    }
)
"""Types with members of their first argument."""


def interface_of(name: str) -> str:
    """The global interface with the members of a built-in type, by its name here."""
    if name[:1] in {"'", '"'}:
        return "String"
    if name[:1].isdecimal():
        return "Number"
    if name.startswith("typeof "):
        object_ = name.removeprefix("typeof ")
        return object_ if object_ in {"Math", "JSON"} else f"{object_}Constructor"
    return _INTERFACES.get(name, name)


@cache
def members(name: str) -> tuple[tuple[str, ...], dict[str, Member]] | None:
    """The type parameters and the members of a built-in type; None for one without any here."""
    for (first, *parameters), text in _MEMBERS.items():
        if first == name:
            return tuple(parameters), _of(text)
    return None


@cache
def static_members(name: str) -> dict[str, Member] | None:
    """The members of a global object; None for one without any here."""
    return _of(STATIC[name]) if name in STATIC else None


def _of(text: str) -> dict[str, Member]:
    found = type_syntax(text)
    return {one.name: one for one in found.members} if isinstance(found, Object) else {}
