import { beforeEach, describe, expect, it } from "vitest";
import { AccountRepository, LoginService, MAX_FAILURES, SessionStore, hashPassword } from "@auth";
import { AuthError, HOUR_MS, ManualClock } from "@shared";

const EMAIL = "ada@parcels.example";

describe("LoginService", () => {
  let clock: ManualClock;
  let login: LoginService;

  beforeEach(async () => {
    clock = new ManualClock();
    const accounts = new AccountRepository();
    const passwordHash = await hashPassword("correct horse");
    accounts.add({ id: "ada", email: EMAIL, passwordHash, role: "clerk" });
    login = new LoginService(accounts, new SessionStore(clock), clock);
  });

  const fail = async (times: number): Promise<void> => {
    for (let attempt = 0; attempt < times; attempt += 1) {
      await expect(login.login(EMAIL, "wrong")).rejects.toThrow(AuthError);
    }
  };

  it("opens a session for the right password", async () => {
    const session = await login.login(" Ada@Parcels.example ", "correct horse");
    expect(login.authorize(session.id, "clerk").id).toBe("ada");
  });

  it("refuses a role that does not do", async () => {
    const session = await login.login(EMAIL, "correct horse");
    expect(() => login.authorize(session.id, "admin")).toThrow("This needs the role admin");
  });

  it("ends a session after twelve hours", async () => {
    const session = await login.login(EMAIL, "correct horse");
    clock.advance(12 * HOUR_MS);
    expect(() => login.authorize(session.id)).toThrow("Please log in");
  });

  it("locks the account after too many wrong passwords, for a while", async () => {
    await fail(MAX_FAILURES);
    await expect(login.login(EMAIL, "correct horse")).rejects.toThrow("Too many attempts");
    clock.advance(HOUR_MS);
    await expect(login.login(EMAIL, "correct horse")).resolves.toBeDefined();
  });

  // TODO: test that a login that works makes earlier mistakes forgotten
});
