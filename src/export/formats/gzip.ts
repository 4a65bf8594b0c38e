/** Gzip compression. The same input gives the same bytes, because Node writes no time into the header. */
import { once } from "node:events";
import { createGzip } from "node:zlib";
import type { ByteSink, Encoder } from "./encoder.ts";

/** Wraps the encoder that `createInner` creates, and compresses its bytes. */
export function createGzipEncoder(createInner: (sink: ByteSink) => Encoder, sink: ByteSink): Encoder {
  const gzip = createGzip();
  let failure: unknown = null;
  const drained = (async () => {
    for await (const chunk of gzip as AsyncIterable<Uint8Array>) await sink(chunk);
  })().catch((error: unknown) => {
    failure = error;
    gzip.destroy();
  });
  const rethrow = () => {
    if (failure !== null) throw failure;
  };
  const inner = createInner(async (bytes) => {
    if (gzip.write(bytes)) return;
    await Promise.race([once(gzip, "drain"), drained]);
    rethrow();
  });
  return {
    write: (rows) => inner.write(rows),
    async finish() {
      await inner.finish();
      gzip.end();
      await drained;
      rethrow();
    },
  };
}
