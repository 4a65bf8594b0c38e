/** The values that texts of a CSV file mean. */

/** Numbers in JSON syntax. Only coordinates can have an exponent, because ids can look like `12e4`. */
const DECIMAL = /^-?\d+(?:\.\d+)?$/;
const EXPONENT = /^-?\d+(?:\.\d+)?[eE][+-]?\d+$/;
const LEADING_ZERO = /^-?0\d/;

/** The longest text that can be a number. */
const MAX_NUMBER_CHARS = 40;

/** The number that a text is, or null. Numbers with leading zeros, and integers that would lose digits, are ids. */
export function parseNumber(text: string, allowExponent: boolean): number | null {
  if (text.length > MAX_NUMBER_CHARS || LEADING_ZERO.test(text)) return null;
  if (!DECIMAL.test(text) && !(allowExponent && EXPONENT.test(text))) return null;
  const value = Number(text);
  const isExact = text.includes(".") || allowExponent || Number.isSafeInteger(value);
  return Number.isFinite(value) && isExact ? value : null;
}

/** The value that a text means: a number, true, false, JSON or the text itself. */
export function convertText(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const text = value.trim();
  const number = parseNumber(text, false);
  if (number !== null) return number;
  if (text === "true" || text === "false") return text === "true";
  if (!/^[[{]/.test(text)) return value;
  try {
    return JSON.parse(text);
  } catch {
    return value;
  }
}
