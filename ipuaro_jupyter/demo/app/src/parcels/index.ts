export { ParcelStatus, canMove, moved, statusOf } from "./parcel";
export type { Parcel, ParcelEvent } from "./parcel";
export { ParcelRepository } from "./parcel-repository";
export { TrackingService, trackingLink } from "./tracking";
