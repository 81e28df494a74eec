import { beforeEach, describe, expect, it } from "vitest";
import { EmailChannel, Notifier } from "@notifications";
import { ParcelRepository, ParcelStatus, TrackingService, trackingLink } from "@parcels";
import { DAY_MS, ManualClock, NotFoundError, ValidationError } from "@shared";

describe("TrackingService", () => {
  let clock: ManualClock;
  let email: EmailChannel;
  let tracking: TrackingService;

  beforeEach(async () => {
    clock = new ManualClock();
    email = new EmailChannel("parcels@parcels.example");
    tracking = new TrackingService(new ParcelRepository(), new Notifier([email]), clock);
    await tracking.register("P-1", "grace@example.org", 3);
  });

  it("tells the recipient at every step, with a link", async () => {
    await tracking.move("P-1", ParcelStatus.InTransit, "Hamburg");
    expect(email.outbox.map((message) => message.subject)).toEqual([
      "Your parcel P-1 is registered",
      "Your parcel P-1 is in transit",
    ]);
    expect(email.outbox[1]?.body).toContain(trackingLink("P-1"));
  });

  it("keeps the history", async () => {
    await tracking.move("P-1", ParcelStatus.InTransit, "Hamburg");
    await tracking.move("P-1", ParcelStatus.InTransit, "Bremen");
    expect(tracking.history("P-1").map((event) => event.place)).toEqual([
      "counter",
      "Hamburg",
      "Bremen",
    ]);
  });

  it("refuses a step that skips another", async () => {
    await expect(tracking.move("P-1", ParcelStatus.Delivered, "door")).rejects.toThrow(
      ValidationError,
    );
  });

  it("lists what is late until it has arrived", () => {
    expect(tracking.late()).toEqual([]);
    clock.advance(4 * DAY_MS);
    expect(tracking.late().map((parcel) => parcel.id)).toEqual(["P-1"]);
  });

  it("knows only registered parcels", () => {
    expect(() => tracking.history("P-2")).toThrow(NotFoundError);
  });
});
