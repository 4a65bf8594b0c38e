/** Embeddings with a cache: each text is sent to a model only once. */
import { createHash } from "node:crypto";
import type { EmbeddingRow } from "../../db/schema.ts";
import { ProviderFault, type ProviderSettings } from "./faults.ts";
import { embed } from "./provider.ts";

/** Maximum number of texts per request. */
const BATCH_SIZE = 100;
/** Maximum characters sent of each text. */
const MAX_EMBEDDED_LENGTH = 4000;

/** The cache key of an embedding: a hash of the base URL, the model and the text. */
export function embeddingHash({ base_url, model }: ProviderSettings, text: string): string {
  return createHash("sha256")
    .update(JSON.stringify([base_url, model, text]))
    .digest("hex");
}

/**
 * Returns the embedding of each text, and separately the new embeddings, which were not in `cached` and need to be stored. Throws
 * ProviderFault; ModelStopped if `stop` fires.
 */
export async function embedTexts(
  provider: ProviderSettings,
  texts: readonly string[],
  cached: ReadonlyMap<string, Uint8Array>,
  stop?: AbortSignal,
): Promise<{ vectors: number[][]; fresh: Pick<EmbeddingRow, "hash" | "vector">[] }> {
  const missing = new Map<string, string>();
  for (const text of texts) {
    const hash = embeddingHash(provider, text);
    if (!cached.has(hash)) missing.set(hash, text.slice(0, MAX_EMBEDDED_LENGTH));
  }
  const requested = [...missing];
  const created = new Map<string, number[]>();
  for (let from = 0; from < requested.length; from += BATCH_SIZE) {
    const batch = requested.slice(from, from + BATCH_SIZE);
    const vectors = await embed(
      provider,
      batch.map(([, text]) => text),
      stop,
    );
    for (const [at, [hash]] of batch.entries()) created.set(hash, vectors[at] ?? []);
  }
  const vectors = texts.map((text) => {
    const hash = embeddingHash(provider, text);
    const bytes = cached.get(hash);
    return created.get(hash) ?? (bytes ? decodeVector(bytes) : []);
  });
  if (vectors.some((vector) => vector.length !== vectors[0]?.length)) {
    throw new ProviderFault("invalid", "The model's embeddings have different lengths");
  }
  return { vectors, fresh: [...created].map(([hash, vector]) => ({ hash, vector: encodeVector(vector) })) };
}

function encodeVector(vector: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(vector.length * 8);
  for (const [at, part] of vector.entries()) bytes.writeDoubleLE(part, at * 8);
  return bytes;
}

function decodeVector(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.byteLength / 8 }, (_, at) => view.getFloat64(at * 8, true));
}
