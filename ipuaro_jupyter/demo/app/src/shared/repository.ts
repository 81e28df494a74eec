import { NotFoundError, ValidationError } from "./errors";

export interface Entity {
  readonly id: string;
}

export interface Lookup<T extends Entity> {
  find(id: string): T | undefined;
  get(id: string): T;
  all(): T[];
}

/** Keeps entities by id. Subclasses say what they keep and add the questions they can answer. */
// TODO: keep the items in a database, they are lost at every restart
export abstract class Repository<T extends Entity> implements Lookup<T> {
  protected abstract readonly kind: string;
  private readonly items = new Map<string, T>();

  add(item: T): T {
    if (this.items.has(item.id)) {
      throw new ValidationError(`The ${this.kind} "${item.id}" exists already`);
    }
    this.items.set(item.id, item);
    return item;
  }

  find(id: string): T | undefined {
    return this.items.get(id);
  }

  get(id: string): T {
    const item = this.find(id);
    if (!item) throw new NotFoundError(this.kind, id);
    return item;
  }

  all(): T[] {
    return [...this.items.values()];
  }

  replace(item: T): T {
    this.get(item.id);
    this.items.set(item.id, item);
    return item;
  }

  remove(id: string): boolean {
    return this.items.delete(id);
  }
}
