import { price } from "./price";
import type { Shipment, Tariff } from "./tariff";

export interface Quote {
  readonly carrier: string;
  readonly cents: number;
  readonly days: number;
}

export interface Quoting {
  quote(shipment: Shipment): Quote;
}

/** A company that moves parcels. Subclasses know their tariff and how long they take. */
export abstract class Carrier implements Quoting {
  abstract readonly name: string;
  protected abstract readonly tariff: Tariff;

  protected abstract days(shipment: Shipment): number;

  quote(shipment: Shipment): Quote {
    return {
      carrier: this.name,
      cents: price(shipment, this.tariff),
      days: this.days(shipment),
    };
  }
}
