import { Carrier } from "./carrier";
import type { Shipment, Tariff } from "./tariff";

export class RoadCarrier extends Carrier {
  readonly name = "Highway Express";

  protected readonly tariff: Tariff = {
    bands: [
      [2_000, 490],
      [5_000, 690],
      [10_000, 940],
      [31_500, 1_690],
    ],
    zoneFactor: { domestic: 1, neighbour: 1.6, overseas: 4 },
    volumetricDivisor: 5_000,
    weekendPickup: false,
  };

  protected days(shipment: Shipment): number {
    const driving = { domestic: 1, neighbour: 3, overseas: 21 }[shipment.zone];
    return shipment.extras.includes("saturday") ? driving : driving + 1;
  }
}
