export { AppError, AuthError, NotFoundError, ValidationError } from "./errors";
export { DAY_MS, HOUR_MS, MINUTE_MS, ManualClock, SystemClock, isWeekend } from "./clock";
export type { Clock } from "./clock";
export { Repository } from "./repository";
export type { Entity, Lookup } from "./repository";
