/** Embeddings that are kept: a text is sent to a model once. */
import { createHash } from "node:crypto";
import type { EmbeddingRow } from "../../db/schema.ts";
import { ProviderFault, type ProviderSettings } from "./faults.ts";
import { embed } from "./provider.ts";

/** Texts of one request. */
const BATCH_SIZE = 100;
/** Characters of a text that are sent. */
export const MAX_EMBEDDED_LENGTH = 4000;

/** What tells an embedding: where it is from, the model and the text. */
export function embeddingHash({ base_url, model }: ProviderSettings, text: string): string {
  return createHash("sha256")
    .update(JSON.stringify([base_url, model, text]))
    .digest("hex");
}

/** The vector of each text: those kept already, and the others asked for. Throws as `ask` does. */
export async function embedTexts(
  provider: ProviderSettings,
  texts: readonly string[],
  kept: ReadonlyMap<string, Uint8Array>,
  stop?: AbortSignal,
): Promise<{ vectors: number[][]; fresh: Pick<EmbeddingRow, "hash" | "vector">[] }> {
  const missing = new Map<string, string>();
  for (const text of texts) {
    const hash = embeddingHash(provider, text);
    if (!kept.has(hash)) missing.set(hash, text.slice(0, MAX_EMBEDDED_LENGTH));
  }
  const asked = [...missing];
  const made = new Map<string, number[]>();
  for (let from = 0; from < asked.length; from += BATCH_SIZE) {
    const part = asked.slice(from, from + BATCH_SIZE);
    const vectors = await embed(
      provider,
      part.map(([, text]) => text),
      stop,
    );
    for (const [at, [hash]] of part.entries()) made.set(hash, vectors[at] ?? []);
  }
  const vectors = texts.map((text) => {
    const hash = embeddingHash(provider, text);
    const bytes = kept.get(hash);
    return made.get(hash) ?? (bytes ? decodeVector(bytes) : []);
  });
  if (vectors.some((vector) => vector.length !== vectors[0]?.length)) {
    throw new ProviderFault("invalid", "The model's embeddings are of different lengths");
  }
  return { vectors, fresh: [...made].map(([hash, vector]) => ({ hash, vector: encodeVector(vector) })) };
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
