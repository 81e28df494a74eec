export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export interface Clock {
  now(): Date;
}

export class SystemClock implements Clock {
  now(): Date {
    return new Date();
  }
}

/** A clock that tests turn by hand. */
export class ManualClock implements Clock {
  constructor(private time = new Date("2026-03-02T08:00:00Z")) {}

  now(): Date {
    return new Date(this.time);
  }

  advance(milliseconds: number): void {
    this.time = new Date(this.time.getTime() + milliseconds);
  }
}

export const isWeekend = (date: Date): boolean => [0, 6].includes(date.getUTCDay());
