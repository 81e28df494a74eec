/** Base of every error that the service raises on purpose; `status` is what HTTP would answer. */
export abstract class AppError extends Error {
  abstract readonly status: number;

  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

export class NotFoundError extends AppError {
  readonly status = 404;

  constructor(kind: string, id: string) {
    super(`There is no ${kind} with the id "${id}"`);
  }
}

export class ValidationError extends AppError {
  readonly status = 400;
}

/** Wrong credentials, an expired session, a locked account. Says no more than it must. */
export class AuthError extends AppError {
  readonly status = 401;
}
