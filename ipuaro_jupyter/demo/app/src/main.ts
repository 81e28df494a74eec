import { AccountRepository, LoginService, SessionStore, hashPassword } from "@auth";
import { AirCarrier, RoadCarrier, type Shipment } from "@carriers";
import { EmailChannel, Notifier } from "@notifications";
import { ParcelRepository, ParcelStatus, TrackingService } from "@parcels";
import { SystemClock } from "@shared";

const clock = new SystemClock();
const accounts = new AccountRepository();
const login = new LoginService(accounts, new SessionStore(clock), clock);
const email = new EmailChannel("hello@parcels.example");
const tracking = new TrackingService(new ParcelRepository(), new Notifier([email]), clock);

const passwordHash = await hashPassword("correct horse");
accounts.add({ id: "ada", email: "ada@parcels.example", passwordHash, role: "clerk" });

const session = await login.login("ada@parcels.example", "correct horse");
const clerk = login.authorize(session.id, "clerk", "admin");
console.log(`${clerk.email} is at the counter`);

const shipment: Shipment = {
  zone: "neighbour",
  weightG: 3_200,
  sidesCm: [40, 30, 20],
  valueCents: 25_000,
  extras: ["insured"],
  pickup: new Date("2026-03-02T10:00:00Z"),
};
const quotes = [new RoadCarrier(), new AirCarrier()].map((carrier) => carrier.quote(shipment));
for (const { carrier, cents, days } of quotes) {
  console.log(`${carrier}: ${(cents / 100).toFixed(2)} EUR, in ${days} d`);
}

await tracking.register("P-1001", "grace@example.org", 4);
await tracking.move("P-1001", ParcelStatus.InTransit, "Hamburg");
for (const { subject, body } of email.outbox) console.log(`${subject}. ${body}`);
