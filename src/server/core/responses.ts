/** Responses of handlers in special forms: as JSON text, with another status, or finished after the transaction. */

/** The JSON text of a value of type T. The database stores some parts of responses as JSON, which is sent unparsed. */
export class JsonText<T> {
  readonly text: string;
  /** Never set. It makes `JsonText<A>` and `JsonText<B>` different types. */
  declare readonly of?: T;

  constructor(text: string) {
    this.text = text;
  }
}

/** Joins JSON texts to a list. */
export function jsonList<T>(items: readonly string[]): JsonText<T[]> {
  return new JsonText(`[${items.join(",")}]`);
}

/** Builds an object from values and JSON texts. */
export function jsonObject<T extends object>(parts: { [K in keyof T]: T[K] | JsonText<T[K]> }): JsonText<T> {
  const pairs = Object.entries(parts).map(([key, value]) => `${JSON.stringify(key)}:${toJson(value)}`);
  return new JsonText(`{${pairs.join(",")}}`);
}

/** Returns the JSON of a value or `JsonText`. */
export function toJson(value: unknown): string {
  return value instanceof JsonText ? value.text : JSON.stringify(value);
}

/** A response with another status than the endpoint's default. */
export class StatusResponse<T> {
  readonly status: number;
  readonly value: T;

  constructor(status: number, value: T) {
    this.status = status;
    this.value = value;
  }
}

/** A response that is completed after the transaction, so that no transaction waits for an AI model. */
export class DeferredResponse<T> {
  readonly finish: () => Promise<T>;

  constructor(finish: () => Promise<T>) {
    this.finish = finish;
  }
}

/** A response that continues for as long as its stream: server-sent events. */
export class StreamResponse {
  readonly stream: ReadableStream<Uint8Array>;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.stream = stream;
  }
}

/** A number of as many digits is exact in a double. */
const MAX_DIGITS = 15;

/** Encodes a position. */
export function encodeCursor(numbers: readonly number[]): string {
  return Buffer.from(numbers.join(".")).toString("base64url");
}

/** Decodes a position of `length` numbers; null if the text is not one. */
export function decodeCursor(cursor: string, length: number): number[] | null {
  const parts = Buffer.from(cursor, "base64url").toString("latin1").split(".");
  const areNumbers = parts.every((part) => /^\d+$/.test(part) && part.length <= MAX_DIGITS);
  return areNumbers && parts.length === length ? parts.map(Number) : null;
}
