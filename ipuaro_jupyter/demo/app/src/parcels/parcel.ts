import { ValidationError, type Entity } from "@shared";

export enum ParcelStatus {
  Registered = "registered",
  InTransit = "in transit",
  OutForDelivery = "out for delivery",
  Delivered = "delivered",
  Returned = "returned",
}

export interface ParcelEvent {
  readonly status: ParcelStatus;
  readonly place: string;
  readonly at: Date;
}

export interface Parcel extends Entity {
  readonly recipient: string;
  readonly due: Date;
  readonly events: readonly ParcelEvent[];
}

const NEXT: Readonly<Record<ParcelStatus, readonly ParcelStatus[]>> = {
  [ParcelStatus.Registered]: [ParcelStatus.InTransit],
  [ParcelStatus.InTransit]: [
    ParcelStatus.InTransit,
    ParcelStatus.OutForDelivery,
    ParcelStatus.Returned,
  ],
  [ParcelStatus.OutForDelivery]: [
    ParcelStatus.Delivered,
    ParcelStatus.InTransit,
    ParcelStatus.Returned,
  ],
  [ParcelStatus.Delivered]: [],
  [ParcelStatus.Returned]: [],
};

export function statusOf(parcel: Parcel): ParcelStatus {
  return parcel.events.at(-1)?.status ?? ParcelStatus.Registered;
}

export const canMove = (from: ParcelStatus, to: ParcelStatus): boolean => NEXT[from].includes(to);

/** Returns the parcel with one more event; parcels are never changed in place. */
export function moved(parcel: Parcel, event: ParcelEvent): Parcel {
  const from = statusOf(parcel);
  if (!canMove(from, event.status)) {
    throw new ValidationError(`A parcel that is ${from} cannot become ${event.status}`);
  }
  return { ...parcel, events: [...parcel.events, event] };
}
