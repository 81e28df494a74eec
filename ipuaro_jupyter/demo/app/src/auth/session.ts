import { randomUUID } from "node:crypto";
import { HOUR_MS, Repository, type Clock, type Entity } from "@shared";

const SESSION_MS = 12 * HOUR_MS;

/** `id` is the token that the client sends with every request. */
export interface Session extends Entity {
  readonly accountId: string;
  readonly expiresAt: Date;
}

export class SessionStore extends Repository<Session> {
  protected readonly kind = "session";

  constructor(private readonly clock: Clock) {
    super();
  }

  open(accountId: string): Session {
    const expiresAt = new Date(this.clock.now().getTime() + SESSION_MS);
    return this.add({ id: randomUUID(), accountId, expiresAt });
  }

  /** Expired sessions are forgotten when somebody asks for them. */
  override find(token: string): Session | undefined {
    const session = super.find(token);
    if (session && session.expiresAt <= this.clock.now()) {
      this.remove(token);
      return undefined;
    }
    return session;
  }
}
