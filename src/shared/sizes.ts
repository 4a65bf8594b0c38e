/** Sizes as people type and read them: a number and its unit, such as `20GB`. */

/** Bytes by unit, the largest unit first. */
const unitBytes = { TB: 1e12, GB: 1e9, MB: 1e6, kB: 1e3 } as const;

/** Follows "is not" in the error for an invalid size. */
export const SIZE_SYNTAX = "a size such as 500MB, 20GB or 1.5TB";

/** Parses a size such as `500MB` or `1.5GB` to bytes; null if invalid. The case of the unit does not matter. */
export function parseSize(text: string): number | null {
  const [, amount, name = ""] = /^(\d+(?:\.\d+)?) ?([a-z]+)$/i.exec(text) ?? [];
  const unit = Object.entries(unitBytes).find(([unit]) => unit.toLowerCase() === name.toLowerCase());
  const bytes = Math.round(Number(amount) * (unit?.[1] ?? Number.NaN));
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : null;
}

/** Formats bytes in the largest unit of which there is at least one, such as `1.5 GB`. */
export function formatSize(bytes: number): string {
  const [unit, size] = Object.entries(unitBytes).find(([, size]) => bytes >= size) ?? ["bytes", 1];
  return `${Number((bytes / size).toFixed(1))} ${unit}`;
}
