/** The provider that needs no network: word vectors by feature hashing, and no model that writes. */
import { createHash } from "node:crypto";

/** Stands where a provider's base URL would. */
export const BUILTIN = "builtin:words";
/** Its settings: it needs no key, and answers at once. */
export const builtinProvider = {
  base_url: BUILTIN,
  model: BUILTIN,
  api_key: "",
  timeout_ms: 30_000,
} as const;
/** Length of a vector. */
const DIMENSIONS = 256;
/** Shorter words tell little. */
const MIN_WORD_LENGTH = 3;

/**
 * Texts as bags of words, each word adding 1 or -1 to one of 256 places, the vector scaled to length 1: feature hashing
 * after Weinberger et al., "Feature Hashing for Large Scale Multitask Learning" (2009). Texts with the same words, in
 * whatever order, are alike; meaning beyond the words is not seen. Digits are left out, so that counts do not part what
 * is told of the same things.
 */
export function hashWords(texts: readonly string[]): number[][] {
  return texts.map((text) => {
    const vector = new Array<number>(DIMENSIONS).fill(0);
    const words = text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [];
    for (const word of words) {
      if (word.length < MIN_WORD_LENGTH) continue;
      const digest = createHash("sha256").update(word).digest();
      const place = digest.readUInt16BE(0) % DIMENSIONS;
      vector[place] = (vector[place] ?? 0) + ((digest[2] ?? 0) % 2 === 0 ? 1 : -1);
    }
    return normalize(vector);
  });
}

/** The vector at length 1; one of a text without words stands in a place of its own. */
function normalize(vector: number[]): number[] {
  const length = Math.hypot(...vector);
  if (length === 0) return vector.map((_, at) => (at === 0 ? 1 : 0));
  return vector.map((part) => part / length);
}
