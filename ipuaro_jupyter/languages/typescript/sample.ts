// TODO: weigh the crates
import depot, { type Bay, Shelf as Rack } from "./depot"
import type * as kinds from "./kinds"
import scales = require("./scales")
import "./polyfill"
export * from "./labels"
export * as codes from "./codes"
export { Truck as Lorry } from "./truck"

export const LIMIT = 10, [first, ...rest] = depot.rows
let count = 0

export enum Size { Small = 1, Large }
export type Plate = import("./plate").Plate | string
export interface Tracked<T> extends kinds.Named, Iterable<T> {
  readonly id: string
  at(bay: Bay, deep?: boolean): Promise<void>
}

export function label(id: number): string
export function label(code: string, upper: boolean): string
export function label(a: number | string, upper?: boolean): string {
  return upper && typeof a === "string" ? a.toUpperCase() : String(a)
}

@sealed
export abstract class Carrier<T> extends Rack<T> implements Tracked<T>, kinds.Named {
  static readonly LIMIT = 10
  #plate = ""
  handle = async (crate: T) => crate

  constructor(private readonly code: string, ...bays: Bay[]) {
    super(bays)
  }

  abstract quote(kg: number): number

  get plate(): string { return this.#plate }

  static *scan({ deep }: { deep: boolean }, [head] = [1]) {
    for (const row of rest) {
      if (row) yield row
      else if (deep) {
        const inner = () => head ?? row
        yield inner()
      }
    }
  }
}

export namespace Yard {
  export const gate = 1
  function lock() {}
}

declare module "vue" {
  interface Options { yard: string }
}

const api = {
  open() { return import("./gate") },
  close: (hard = false) => { if (hard) count++ },
}

export default class extends Carrier<number> {
  quote(kg: number) { return kg }
}

export { api, Yard as Site }
