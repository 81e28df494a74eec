"""Lines of TypeScript with the name of a member: whose member the last one is.

TypeScript's language service says the same of each.
"""

HEAD = """\
import { Cat, Dog, Pet, Box, Maker, isCat, assertCat, first, pick, Size, registry } from './pets'
declare const x: any, flag: boolean
"""

PETS = """\
export interface Pet { age: number }
export class Cat implements Pet { age = 1; kind: 'cat' = 'cat'; say() { return 1 } say2 = 1 }
export class Dog implements Pet { age = 2; kind: 'dog' = 'dog'; say() { return 2 } }
export class Box<T> { held!: T; all: T[] = []; get(): T { return this.held }
  static of<T>(v: T): Box<T> { return new Box<T>() }
  map<U>(f: (v: T) => U): Box<U> { return null! } }
export interface Maker<T extends Pet = Cat> { make(): T; later(): Promise<T>; (n: number): T }
export function isCat(p: Pet): p is Cat { return true }
export function assertCat(p: Pet): asserts p is Cat {}
export function first<T>(list: readonly T[]): T { return list[0] }
export function pick<T, K extends keyof T>(o: T, k: K): T[K] { return o[k] }
export enum Size { S, M }
export const registry = { cat: new Cat(), dogs: [new Dog()] }
"""

CATS = (
    # generics of the project's own
    "declare const b: Box<Cat>; b.held.say()",
    "declare const b: Box<Cat>; b.all[0].say()",
    "declare const b: Box<Cat>; b.get().say()",
    "declare const b: Box<Box<Cat>>; b.get().get().say()",
    "new Box<Cat>().held.say()",
    "Box.of(new Cat()).get().say()",
    "declare const b: Box<Dog>; b.map(d => new Cat()).held.say()",
    "declare const b: Box<Cat>; b.map(c => c.say())",
    "class CatBox extends Box<Cat> { go() { this.held.say() } }",
    "class Two<A, B> extends Box<B> {} declare const t: Two<Dog, Cat>; t.held.say()",
    "interface Make<T> { new (n: number): T } declare const m: Make<Cat>; new m(1).say()",
    "declare const m: Maker; m.make().say()",
    "declare const m: Maker<Cat>; m(1).say()",
    "first([new Cat()]).say()",
    "type Pair<T> = { a: T; b: Dog }; declare const p: Pair<Cat>; p.a.say()",
    "type Nested<T> = Box<T>[]; declare const n: Nested<Cat>; n[0].held.say()",
    # promises, iteration and the methods of arrays, maps and sets
    "async function f(m: Maker) { (await m.later()).say() }",
    "async function f() { return new Cat() } f().then(c => c.say())",
    "async function f() { const [c, d] = await Promise.all([new Cat(), new Cat()]); c.say() }",
    "declare const m: Map<string, Cat>; m.get('a')!.say()",
    "declare const m: Map<string, Cat>; for (const [k, c] of m) c.say()",
    "declare const m: Map<Dog, Cat>; m.forEach((c, d) => c.say())",
    "declare const m: ReadonlyMap<Dog, Cat>; for (const c of m.values()) c.say()",
    "declare const s: Set<Cat>; for (const c of s) c.say()",
    "declare const s: Set<Cat>; [...s].find(c => c.age)!.say()",
    "declare const r: Record<string, Cat>; r['a'].say()",
    "declare const r: Record<string, Cat[]>; Object.values(r)[0][0].say()",
    "declare const r: { [k: string]: Cat }; r.any.say()",
    "declare const c: Cat[]; c.map(c => ({ c })).filter(o => o.c)[0].c.say()",
    "declare const p: Pet[]; p.filter(isCat).forEach(c => c.say())",
    "declare const d: Dog[]; d.reduce((cat, d) => cat, new Cat()).say()",
    "declare const t: [Dog, Cat]; t[1].say(); const [d, c] = t; c.say()",
    "declare const c: Cat[]; c.slice().sort((a, b) => b.say())",
    "declare const c: Cat[]; for (const [i, one] of c.entries()) one.say()",
    # what narrows
    "function f(p: Pet) { if (isCat(p)) p.say() }",
    "function f(p: Pet) { if (!isCat(p)) return; p.say() }",
    "function f(p: Pet) { assertCat(p); p.say() }",
    "function f(p: Pet) { return isCat(p) && p.say() }",
    "function f(p: Pet) { return isCat(p) ? p.say() : 0 }",
    "function f(p: Pet) { return !isCat(p) || p.say() }",
    "function f(p: Cat | Dog) { if (p instanceof Cat) p.say() }",
    "function f(p: Cat | Dog) { if (p instanceof Dog) { return } p.say() }",
    "function f(p: Cat | Dog) { if (p.kind === 'cat') p.say() }",
    "function f(p: Cat | Dog) { if (p.kind !== 'dog') p.say() }",
    "function f(p: Cat | Dog) { switch (p.kind) { case 'cat': p.say() } }",
    "function f(p: Cat | Dog) { if ('say2' in p) p.say() }",
    "function f(o: { p: Pet }) { if (isCat(o.p)) o.p.say() }",
    "class A { p!: Pet; go() { if (isCat(this.p)) { this.p.say() } } }",
    "const ok = (p: unknown): p is Cat => true; function f(p: unknown) { if (ok(p)) p.say() }",
    # utility types and types made of others
    "declare const c: Partial<Cat>; c.say!()",
    "declare const c: Readonly<Pick<Cat, 'say'>>; c.say()",
    "declare const c: NonNullable<Cat | null>; c.say()",
    "declare const c: ReturnType<typeof make>; c.say(); function make() { return new Cat() }",
    "declare const c: InstanceType<typeof Cat>; c.say()",
    "declare const c: Box<Cat>['held']; c.say()",
    "declare const c: (typeof registry)['cat']; c.say()",
    "declare const c: Awaited<Promise<Cat>>; c.say()",
    "declare const c: { [K in keyof Cat]: Cat[K] }; c.say()",
    "declare const c: Pet & Cat; c.say()",
    "registry.cat.say()",
    # what is expected
    "const c: { cat: Partial<Cat> } = { cat: { say() { return 1 } } }",
    "const all: Partial<Cat>[] = [{ say: x }]",
    "const all: Record<string, Partial<Cat>> = { a: { say: x } }",
    "const all = { a: { say: x } } satisfies Record<string, Partial<Cat>>",
    "const f: (c: Cat) => void = c => c.say()",
    "const o: { f(c: Cat): void } = { f(c) { c.say() } }",
    "function run(f: (c: Cat) => void) {} run(c => c.say())",
    "function run(o: { f?: (c: Cat) => void }) {} run({ f: c => c.say() })",
    "function run<T>(v: T, f: (v: T) => void) {} run(new Cat(), c => c.say())",
    "async function f(): Promise<Partial<Cat>> { return { say: x } }",
    "const f = (): Partial<Cat>[] => [1].map((): Partial<Cat> => ({ say: x }))",
    "function f(this: Cat) { this.say() }",
    "const o = { c: new Cat(), go() { this.c.say() } }",
    # destructuring
    "const { held: { say } } = new Box<Cat>()",
    "const { all: [c] } = new Box<Cat>(); c.say()",
    "const { cat: { say } } = registry",
    "function f({ c = new Cat() }: { c?: Cat }) { c.say() }",
    "const [{ say }] = [new Cat()]",
    "declare const b: Box<Cat>[]; for (const { held } of b) held.say()",
    "declare const b: Box<Cat>[]; b.map(({ held: c }) => c.say())",
    "declare const b: { d: Dog; c: Cat }; const { d, ...rest } = b; rest.c.say()",
    # fields
    "class A { c; constructor() { this.c = new Cat() } go() { this.c.say() } }",
    "class A { constructor(readonly c: Cat) {} } new A(x).c.say()",
    "class A { go = () => { this.c.say() }; c = new Cat() }",
    "class A { static c = new Cat() } A.c.say()",
)
"""Lines whose last ``say`` is that of Cat."""

OTHERS = (
    "declare const b: Box<Dog>; b.held.say()",
    "declare const m: Maker<Dog>; m.make().say()",
    "declare const m: Map<Cat, Dog>; m.get(x)!.say()",
    "declare const m: Map<Cat, Dog>; m.forEach((d, c) => d.say())",
    "declare const t: [Dog, Cat]; t[0].say()",
    "function f(p: Cat | Dog) { if (p.kind === 'dog') p.say() }",
    "function f(p: Cat | Dog) { if (p instanceof Cat) return; p.say() }",
    "declare const c: { say: Cat }; c.say",
    "declare const c: { cat: Cat; say(): void }[]; c.map(one => one.say())",
    "const o: { say: number; cat: Cat } = { say: 1, cat: x }",
    "declare const d: Dog[]; d.reduce((dog, d) => d, new Dog()).say()",
)
"""Lines whose last ``say`` is not that of Cat."""
