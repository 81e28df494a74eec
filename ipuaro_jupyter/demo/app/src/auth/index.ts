export { AccountRepository } from "./account";
export type { Account, Role } from "./account";
export { LoginService, MAX_FAILURES } from "./login";
export { hashPassword, verifyPassword } from "./password";
export { SessionStore } from "./session";
export type { Session } from "./session";
