export type Zone = "domestic" | "neighbour" | "overseas";
export type Extra = "insured" | "fragile" | "signature" | "saturday";

/** What is to be carried: weight in grams, sides in centimetres, value in cents. */
export interface Shipment {
  readonly zone: Zone;
  readonly weightG: number;
  readonly sidesCm: readonly [number, number, number];
  readonly valueCents: number;
  readonly extras: readonly Extra[];
  readonly pickup: Date;
}

/** A carrier's prices, in cents. `bands` are [up to this weight in grams, price], ascending. */
export interface Tariff {
  readonly bands: readonly (readonly [number, number])[];
  readonly zoneFactor: Readonly<Record<Zone, number>>;
  readonly volumetricDivisor: number;
  readonly weekendPickup: boolean;
}
