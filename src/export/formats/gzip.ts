/** Gzip in front of a sink, the same bytes for the same input: Node writes no time into the header. */
import { once } from "node:events";
import { createGzip } from "node:zlib";
import type { ByteSink, Encoder } from "./encoder.ts";

/** The encoder that `make` makes, its bytes compressed on their way to the sink. */
export function createGzipEncoder(make: (sink: ByteSink) => Encoder, sink: ByteSink): Encoder {
  const gzip = createGzip();
  let fault: unknown = null;
  const emptied = (async () => {
    for await (const chunk of gzip as AsyncIterable<Uint8Array>) await sink(chunk);
  })().catch((error: unknown) => {
    fault = error;
    gzip.destroy();
  });
  const rethrow = () => {
    if (fault !== null) throw fault;
  };
  const inner = make(async (bytes) => {
    if (gzip.write(bytes)) return;
    await Promise.race([once(gzip, "drain"), emptied]);
    rethrow();
  });
  return {
    write: (rows) => inner.write(rows),
    async finish() {
      await inner.finish();
      gzip.end();
      await emptied;
      rethrow();
    },
  };
}
