import { AuthError, MINUTE_MS, type Clock } from "@shared";
import type { Account, AccountRepository, Role } from "./account";
import { verifyPassword } from "./password";
import type { Session, SessionStore } from "./session";

export const MAX_FAILURES = 5;
const LOCK_MS = 15 * MINUTE_MS;

interface Failures {
  readonly count: number;
  readonly last: Date;
}

export class LoginService {
  private readonly failures = new Map<string, Failures>();

  constructor(
    private readonly accounts: AccountRepository,
    private readonly sessions: SessionStore,
    private readonly clock: Clock,
  ) {}

  async login(email: string, password: string): Promise<Session> {
    const account = this.accounts.findByEmail(email);
    // FIXME: an unknown email answers faster than a wrong password, which tells them apart
    if (!account) throw new AuthError("Unknown email or wrong password");
    this.refuseLocked(account);
    if (!(await verifyPassword(password, account.passwordHash))) {
      this.countFailure(account);
      throw new AuthError("Unknown email or wrong password");
    }
    return this.sessions.open(account.id);
  }

  logout(token: string): void {
    this.sessions.remove(token);
  }

  /** Returns who sent the token. Raises AuthError when nobody did or the role does not do. */
  authorize(token: string, ...roles: Role[]): Account {
    const session = this.sessions.find(token);
    if (!session) throw new AuthError("Please log in");
    const account = this.accounts.get(session.accountId);
    if (roles.length > 0 && !roles.includes(account.role)) {
      throw new AuthError(`This needs the role ${roles.join(" or ")}`);
    }
    return account;
  }

  private refuseLocked(account: Account): void {
    const failures = this.failures.get(account.id);
    if (!failures || failures.count < MAX_FAILURES) return;
    if (this.clock.now().getTime() - failures.last.getTime() < LOCK_MS) {
      throw new AuthError("Too many attempts, try again later");
    }
    this.failures.delete(account.id);
  }

  private countFailure(account: Account): void {
    const count = (this.failures.get(account.id)?.count ?? 0) + 1;
    this.failures.set(account.id, { count, last: this.clock.now() });
  }
}
