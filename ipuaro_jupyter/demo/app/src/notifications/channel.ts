export interface Message {
  readonly to: string;
  readonly subject: string;
  readonly body: string;
}

/** A way to reach somebody. `send` checks and counts, subclasses deliver. */
export abstract class Channel {
  private count = 0;

  get sent(): number {
    return this.count;
  }

  abstract reaches(address: string): boolean;

  protected abstract deliver(message: Message): Promise<void>;

  async send(message: Message): Promise<boolean> {
    if (!this.reaches(message.to)) return false;
    await this.deliver(message);
    this.count += 1;
    return true;
  }
}
