import { describe, expect, it } from "vitest";
import { AirCarrier, RoadCarrier, type Shipment } from "@carriers";

const box: Shipment = {
  zone: "domestic",
  weightG: 1_800,
  sidesCm: [30, 20, 10],
  valueCents: 4_900,
  extras: [],
  pickup: new Date("2026-03-02T10:00:00Z"),
};

describe("price", () => {
  it("takes the first band that is wide enough", () => {
    expect(new RoadCarrier().quote(box)).toEqual({
      carrier: "Highway Express",
      cents: 490,
      days: 2,
    });
  });

  it("weighs a light but large box by its volume", () => {
    expect(new RoadCarrier().quote({ ...box, sidesCm: [60, 40, 20] }).cents).toBe(940);
  });

  it("adds up extras, once each", () => {
    const extras = ["insured", "fragile", "fragile"] as const;
    expect(new RoadCarrier().quote({ ...box, extras }).cents).toBe(490 + 150 + 200);
  });

  it("asks more overseas and at the weekend", () => {
    const pickup = new Date("2026-03-07T10:00:00Z");
    expect(new AirCarrier().quote({ ...box, zone: "overseas", pickup }).cents).toBe(4_480);
    expect(() => new RoadCarrier().quote({ ...box, pickup })).toThrow("No pickup");
  });

  it("refuses what is too heavy", () => {
    expect(() => new AirCarrier().quote({ ...box, weightG: 20_001 })).toThrow("Too heavy");
  });
});
