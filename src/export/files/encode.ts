/** Encodes rows as bytes, and counts and hashes them. */
import { createHash } from "node:crypto";
import type { Dataset } from "../datasets/dataset.ts";
import type { ByteSink } from "../formats/encoder.ts";
import { createEncoder, type Encoding } from "../formats/index.ts";
import type { FileStats } from "./manifest.ts";

/** A sink that counts and hashes its bytes. */
export class CountingSink {
  readonly #hash = createHash("sha256");
  readonly #sink: ByteSink;
  #bytes = 0;
  #digest: string | null = null;
  rows = 0;

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    await this.#sink(bytes);
  }

  /** Valid only after the last byte. */
  get stats(): FileStats {
    this.#digest ??= this.#hash.digest("hex");
    return { rows: this.rows, bytes: this.#bytes, sha256: this.#digest };
  }
}

/** Encodes all rows as one file. */
export async function encodeRows(
  dataset: Dataset<unknown>,
  rows: AsyncIterable<readonly unknown[]>,
  encoding: Encoding,
  sink: CountingSink,
): Promise<void> {
  const encoder = await createEncoder(dataset.columns, (bytes) => sink.write(bytes), encoding);
  for await (const values of toValueRows(dataset, rows)) {
    sink.rows += values.length;
    await encoder.write(values);
  }
  await encoder.finish();
}

/** The rows as values in the order of the columns. */
export async function* toValueRows(
  { columns }: Dataset<unknown>,
  rows: AsyncIterable<readonly unknown[]>,
): AsyncGenerator<readonly (readonly unknown[])[]> {
  for await (const group of rows) yield group.map((row) => columns.map((column) => column.value(row)));
}
