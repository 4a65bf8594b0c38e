/** Cursors: positions in lists as opaque text. They consist of whole numbers, whose meaning only the list knows. */

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
