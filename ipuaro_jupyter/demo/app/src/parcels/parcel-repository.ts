import { Repository } from "@shared";
import { ParcelStatus, statusOf, type Parcel } from "./parcel";

export class ParcelRepository extends Repository<Parcel> {
  protected readonly kind = "parcel";

  withStatus(status: ParcelStatus): Parcel[] {
    return this.all().filter((parcel) => statusOf(parcel) === status);
  }

  /** Parcels that should have arrived by `now`, the longest overdue first. */
  overdue(now: Date): Parcel[] {
    const done = [ParcelStatus.Delivered, ParcelStatus.Returned];
    return this.all()
      .filter((parcel) => parcel.due < now && !done.includes(statusOf(parcel)))
      .sort((a, b) => a.due.getTime() - b.due.getTime());
  }
}
