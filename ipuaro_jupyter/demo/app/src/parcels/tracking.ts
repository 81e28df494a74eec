import { Notifier } from "@notifications";
import { DAY_MS, type Clock } from "@shared";
import { ParcelStatus, moved, type Parcel, type ParcelEvent } from "./parcel";
import type { ParcelRepository } from "./parcel-repository";

/** The page where a recipient follows a parcel. */
export function trackingLink(parcelId: string): string {
  return `https://parcels.example/track/${encodeURIComponent(parcelId)}`;
}

export class TrackingService {
  constructor(
    private readonly parcels: ParcelRepository,
    private readonly notifier: Notifier,
    private readonly clock: Clock,
  ) {}

  async register(id: string, recipient: string, days: number): Promise<Parcel> {
    const now = this.clock.now();
    const event = { status: ParcelStatus.Registered, place: "counter", at: now };
    const due = new Date(now.getTime() + days * DAY_MS);
    const parcel = this.parcels.add({ id, recipient, due, events: [event] });
    await this.notifier.statusChanged(parcel);
    return parcel;
  }

  async move(id: string, status: ParcelStatus, place: string): Promise<Parcel> {
    const event = { status, place, at: this.clock.now() };
    const parcel = this.parcels.replace(moved(this.parcels.get(id), event));
    await this.notifier.statusChanged(parcel);
    return parcel;
  }

  history(id: string): readonly ParcelEvent[] {
    return this.parcels.get(id).events;
  }

  late(): Parcel[] {
    return this.parcels.overdue(this.clock.now());
  }
}
