/** The built-in provider, which needs no network: embeddings by feature hashing, and no chat model. */
import { createHash } from "node:crypto";

/** The value that replaces the base URL of a provider. */
export const BUILTIN = "builtin:words";
/** The settings of the built-in provider. It needs no key. */
export const builtinProvider = {
  base_url: BUILTIN,
  model: BUILTIN,
  api_key: "",
  timeout_ms: 30_000,
} as const;
/** Length of an embedding. */
const DIMENSIONS = 256;
/** Minimum word length in characters. Shorter words carry little meaning. */
const MIN_WORD_LENGTH = 3;

/**
 * Embeds texts as bags of words. Each word adds 1 or -1 to one of 256 dimensions, and the vector is scaled to length 1.
 * This is feature hashing after Weinberger et al., "Feature Hashing for Large Scale Multitask Learning" (2009). Texts
 * with the same words in any order have the same embedding. Digits are ignored, so that counts do not separate texts
 * about the same things.
 */
export function hashWords(texts: readonly string[]): number[][] {
  return texts.map((text) => {
    const vector = new Array<number>(DIMENSIONS).fill(0);
    const words = text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [];
    for (const word of words) {
      if (word.length < MIN_WORD_LENGTH) continue;
      const digest = createHash("sha256").update(word).digest();
      const dimension = digest.readUInt16BE(0) % DIMENSIONS;
      vector[dimension] = (vector[dimension] ?? 0) + ((digest[2] ?? 0) % 2 === 0 ? 1 : -1);
    }
    return normalize(vector);
  });
}

/** Scales a vector to length 1. The vector of a text without words becomes the first unit vector. */
function normalize(vector: number[]): number[] {
  const length = Math.hypot(...vector);
  if (length === 0) return vector.map((_, at) => (at === 0 ? 1 : 0));
  return vector.map((part) => part / length);
}
