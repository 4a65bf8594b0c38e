/** Cursors: positions in lists as opaque text. They consist of whole numbers, whose meaning only the list knows. */

/** Encodes a position. */
export function encodeCursor(numbers: readonly number[]): string {
  return Buffer.from(numbers.join(".")).toString("base64url");
}

/** Decodes a position of `length` numbers; null if the text is not one. */
export function decodeCursor(cursor: string, length: number): number[] | null {
  const text = Buffer.from(cursor, "base64url").toString("latin1");
  if (!/^\d{1,15}(\.\d{1,15})*$/.test(text)) return null;
  const numbers = text.split(".").map(Number);
  return numbers.length === length ? numbers : null;
}
