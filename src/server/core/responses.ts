/** JSON that is already text: what the database keeps ready is sent without being parsed and written again. */

/** A JSON text standing for a value of type T. */
export class JsonText<T> {
  readonly text: string;
  /** Never set: it carries the type alone. */
  declare readonly of?: T;

  constructor(text: string) {
    this.text = text;
  }
}

/** A list of JSON texts as one. */
export function jsonList<T>(items: readonly string[]): JsonText<T[]> {
  return new JsonText(`[${items.join(",")}]`);
}

/** An object whose parts may be JSON texts already. */
export function jsonObject<T extends object>(parts: { [K in keyof T]: T[K] | JsonText<T[K]> }): JsonText<T> {
  const pairs = Object.entries(parts).map(([key, value]) => `${JSON.stringify(key)}:${toJson(value)}`);
  return new JsonText(`{${pairs.join(",")}}`);
}

/** The JSON of a value, or the text it already is. */
export function toJson(value: unknown): string {
  return value instanceof JsonText ? value.text : JSON.stringify(value);
}

/** An answer with another status than the endpoint's own. */
export class StatusResponse<T> {
  readonly status: number;
  readonly value: T;

  constructor(status: number, value: T) {
    this.status = status;
    this.value = value;
  }
}

/** An answer that is finished once the read is over: nothing waits for another service inside a transaction. */
export class DeferredResponse<T> {
  readonly finish: () => Promise<T>;

  constructor(finish: () => Promise<T>) {
    this.finish = finish;
  }
}
