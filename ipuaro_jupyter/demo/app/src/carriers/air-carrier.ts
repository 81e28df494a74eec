import { Carrier } from "./carrier";
import type { Shipment, Tariff } from "./tariff";

export class AirCarrier extends Carrier {
  readonly name = "Blue Sky Cargo";

  protected readonly tariff: Tariff = {
    bands: [
      [1_000, 1_290],
      [5_000, 1_990],
      [20_000, 3_490],
    ],
    zoneFactor: { domestic: 1, neighbour: 1.1, overseas: 1.8 },
    volumetricDivisor: 6_000,
    weekendPickup: true,
  };

  // NOTE: customs clearance is not counted, it takes from an hour to a week
  protected days(shipment: Shipment): number {
    return shipment.zone === "overseas" ? 4 : 1;
  }
}
