export { AirCarrier } from "./air-carrier";
export { Carrier } from "./carrier";
export type { Quote, Quoting } from "./carrier";
export { price } from "./price";
export { RoadCarrier } from "./road-carrier";
export type { Extra, Shipment, Tariff, Zone } from "./tariff";
