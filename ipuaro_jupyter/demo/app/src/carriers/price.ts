import { ValidationError, isWeekend } from "@shared";
import type { Shipment, Tariff } from "./tariff";

const OVERSIZE_CM = 120;
const OVERSIZE_CENTS = 1_450;
const CUSTOMS_FREE_CENTS = 15_000;

/** Returns the price in cents, rounded up to the next five. */
// HACK: grown by one special case a year, the surcharges want to be a table in the tariff
export function price(shipment: Shipment, tariff: Tariff): number {
  const volumeCm3 = shipment.sidesCm.reduce((product, side) => product * side, 1);
  const weightG = Math.max(shipment.weightG, (volumeCm3 / tariff.volumetricDivisor) * 1_000);

  let cents: number | undefined;
  for (const [upToG, bandCents] of tariff.bands) {
    if (weightG <= upToG) {
      cents = bandCents;
      break;
    }
  }
  if (cents === undefined) throw new ValidationError("Too heavy for this carrier");
  cents *= tariff.zoneFactor[shipment.zone];

  for (const extra of new Set(shipment.extras)) {
    switch (extra) {
      case "insured":
        if (shipment.valueCents > 100_000) {
          if (shipment.zone === "overseas") throw new ValidationError("Not insurable overseas");
          cents += shipment.valueCents * 0.02;
        } else {
          cents += shipment.valueCents > 20_000 ? shipment.valueCents * 0.01 : 150;
        }
        break;
      case "fragile":
        cents += shipment.extras.includes("insured") ? 200 : 350;
        break;
      case "signature":
        if (shipment.zone !== "domestic") cents += 275;
        break;
      case "saturday":
        if (shipment.zone === "overseas") throw new ValidationError("No Saturdays overseas");
        cents += 500;
        break;
    }
  }

  if (shipment.sidesCm.some((side) => side > OVERSIZE_CM)) cents += OVERSIZE_CENTS;
  if (shipment.zone === "overseas" && shipment.valueCents > CUSTOMS_FREE_CENTS) cents += 900;
  if (isWeekend(shipment.pickup)) {
    if (!tariff.weekendPickup) throw new ValidationError("No pickup at the weekend");
    cents *= 1.25;
  }
  return Math.ceil(cents / 5) * 5;
}
