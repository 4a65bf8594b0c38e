/** A test collector that receives OTLP over HTTP as JSON and stores the spans. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

export interface ReceivedSpan {
  readonly name: string;
  /** 1 internal, 2 server. */
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  /** Absent for the root of a trace. */
  readonly parentSpanId?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 2 is an error. */
  readonly status: number;
}

interface WireAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

type WireSpan = Omit<ReceivedSpan, "attributes" | "status"> & {
  readonly attributes: readonly WireAttribute[];
  readonly status: { readonly code: number };
};

interface Wire {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly WireAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

export interface Receiver {
  readonly url: string;
  /** Every body, as text. */
  readonly bodies: string[];
  /** The path of every request. */
  readonly paths: string[];
  readonly spans: ReceivedSpan[];
  /** The resource attributes of the sender. */
  readonly resource: Record<string, unknown>;
  close(): void;
}

/** Starts a receiver on loopback. A `mute` receiver reads requests but never responds. */
export async function startReceiver({ mute = false } = {}): Promise<Receiver> {
  const received = {
    bodies: [] as string[],
    paths: [] as string[],
    spans: [] as ReceivedSpan[],
    resource: {},
  };
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk) => chunks.push(chunk));
    incoming.on("end", () => {
      const bytes = Buffer.concat(chunks);
      const text = (incoming.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes).toString();
      received.paths.push(incoming.url ?? "");
      received.bodies.push(text);
      for (const { resource, scopeSpans } of (JSON.parse(text) as Wire).resourceSpans) {
        Object.assign(received.resource, toRecord(resource.attributes));
        for (const { spans } of scopeSpans)
          for (const span of spans)
            received.spans.push({ ...span, attributes: toRecord(span.attributes), status: span.status.code });
      }
      if (!mute) outgoing.setHeader("content-type", "application/json").end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { ...received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

function toRecord(attributes: readonly WireAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
