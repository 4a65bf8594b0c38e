/** Rows into a file's bytes, counted and hashed on their way. */
import { createHash } from "node:crypto";
import type { Dataset } from "../datasets/dataset.ts";
import type { ByteSink } from "../formats/encoder.ts";
import { createEncoder, type Encoding } from "../formats/index.ts";
import type { FileStats } from "./manifest.ts";

/** A sink that counts what passes. */
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

  /** After the last byte. */
  get stats(): FileStats {
    this.#digest ??= this.#hash.digest("hex");
    return { rows: this.rows, bytes: this.#bytes, sha256: this.#digest };
  }
}

/** Encodes rows of a dataset whole. */
export async function encodeRows(
  dataset: Dataset<unknown>,
  rows: AsyncIterable<readonly unknown[]>,
  encoding: Encoding,
  tally: CountingSink,
): Promise<void> {
  const encoder = await createEncoder(dataset.columns, (bytes) => tally.write(bytes), encoding);
  for await (const values of toValueRows(dataset, rows)) {
    tally.rows += values.length;
    await encoder.write(values);
  }
  await encoder.finish();
}

/** The rows as values in the order of the columns. */
export async function* toValueRows(
  { columns }: Dataset<unknown>,
  rows: AsyncIterable<readonly unknown[]>,
): AsyncGenerator<readonly (readonly unknown[])[]> {
  for await (const some of rows) yield some.map((row) => columns.map((column) => column.value(row)));
}
