// TODO: break the cycle, tracking.ts imports this file: move trackingLink to @shared
import { trackingLink } from "@parcels/tracking";
import { statusOf, type Parcel } from "@parcels/parcel";
import type { Channel } from "./channel";

export class Notifier {
  constructor(private readonly channels: readonly Channel[]) {}

  /** Returns how many channels took the message. */
  async statusChanged(parcel: Parcel): Promise<number> {
    const message = {
      to: parcel.recipient,
      subject: `Your parcel ${parcel.id} is ${statusOf(parcel)}`,
      body: `Follow it on ${trackingLink(parcel.id)}`,
    };
    const taken = await Promise.all(this.channels.map((channel) => channel.send(message)));
    return taken.filter(Boolean).length;
  }
}
