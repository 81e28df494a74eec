import type { Ship, Cargo } from "./ship.js"
import { clamp, type Range } from "./range"
import * as tides from "./tides"

/** How long a berth is kept, in minutes. */
export const KEEP = 45 as const
const occupied = new Map<string, Berth<Ship>>()

export type BerthEvent<T extends Ship = Ship> =
  | { kind: "arrive"; ship: T; at: Date }
  | { kind: "leave"; ship: T }

export interface Schedule<T extends Ship> extends Iterable<BerthEvent<T>> {
  readonly length: number
  next?(after: Date): BerthEvent<T> | undefined
  [Symbol.iterator](): Iterator<BerthEvent<T>>
}

export enum Depth {
  Shallow = 4,
  Deep = Shallow << 1,
}

export class FullError extends Error {
  override name = "FullError"
  constructor(readonly berth: string, options?: ErrorOptions) {
    super(`Berth ${berth} is full`, options)
  }
}

export class Berth<T extends Ship> implements Schedule<T> {
  static #count = 0
  readonly #events: BerthEvent<T>[] = []
  private crew?: Promise<string[]>

  static {
    Berth.#count = 0
  }

  constructor(public readonly name: string, protected depth: Depth = Depth.Deep) {
    Berth.#count++
  }

  get length() {
    return this.#events.length
  }

  arrive(ship: T): this
  arrive(ship: T, at: Date): this
  arrive(ship: T, at = new Date()): this {
    if (occupied.has(this.name) && this.length > 0) {
      throw new FullError(this.name, { cause: ship })
    } else if (ship.draught > tides.depthAt(at, this.depth)) {
      throw new RangeError(`${ship.name} draws ${ship.draught} m`)
    }
    this.#events.push({ kind: "arrive", ship, at })
    return this
  }

  *[Symbol.iterator]() {
    for (const event of this.#events) {
      switch (event.kind) {
        case "arrive":
          yield event
          break
        case "leave":
        default:
          continue
      }
    }
  }

  unload = async (cargo: Cargo[], limit?: Range): Promise<number> => {
    const weigh = (item: Cargo): number => clamp(item.kg ?? 0, limit)
    let total = 0
    try {
      for await (const item of cargo) total += weigh(item)
    } catch (error) {
      // FIXME(ines): the crane loses its grip
      total = error instanceof FullError ? -1 : total
    }
    return total
  }
}

export function book(name: string): Berth<Ship>
export function book(name: string, depth: Depth): Berth<Ship>
export function book(name: string, depth?: Depth) {
  return occupied.get(name) ?? new Berth<Ship>(name, depth)
}

function isShip(value: unknown): value is Ship {
  return typeof value === "object" && value !== null && "draught" in value
}

export { isShip as default, occupied as taken }
export * from "./ship.js"
export * as time from "./tides"
