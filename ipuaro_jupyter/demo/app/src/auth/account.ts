import { Repository, ValidationError, type Entity } from "@shared";

export type Role = "customer" | "clerk" | "admin";

export interface Account extends Entity {
  readonly email: string;
  readonly passwordHash: string;
  readonly role: Role;
}

export class AccountRepository extends Repository<Account> {
  protected readonly kind = "account";

  override add(account: Account): Account {
    if (this.findByEmail(account.email)) {
      throw new ValidationError(`${account.email} is taken`);
    }
    return super.add(account);
  }

  findByEmail(email: string): Account | undefined {
    const wanted = email.trim().toLowerCase();
    return this.all().find((account) => account.email.toLowerCase() === wanted);
  }
}
