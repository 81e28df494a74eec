/// <reference types="node" />
declare module "*.css" {
  const classes: { readonly [name: string]: string }
  export default classes
}

declare global {
  interface Window { harbour?: import("../src/berth").Berth<any> }
  var berths: number
}

export declare namespace Harbour.Rules {
  type Rule<in out T> = (value: T) => asserts value is T
  abstract class Book<const T extends readonly unknown[]> {
    abstract readonly rules: T
    protected abstract check(index: keyof T): boolean
  }
  function apply<T>(this: Book<T[]>, ...rules: Rule<T>[]): void
}

export as namespace harbour
export {}
