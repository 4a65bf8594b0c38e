/** The live tail as a stream of server-sent events, which continues until the client, the key or the service ends it. */
import type { TailPage } from "../../contract/telemetry-tail.ts";
import { encodePosition, type TailPosition, type TailRead } from "./tail.ts";

/** How often new arrivals are looked for, ms. */
const POLL_MS = 250;
/** How often an idle stream sends a comment, ms. Proxies close connections that are silent for a minute. */
const HEARTBEAT_MS = 15_000;
/** How long a client may take to read what was sent before the stream ends, ms. It can resume. */
const MAX_STALL_MS = 120_000;
/** How long a client waits before it connects again, ms. */
const RECONNECT_MS = 1000;

interface TailSource {
  /** Reads what came after a position; null if the key is no longer valid. */
  read(after: TailPosition): Promise<TailRead | null>;
  /** Fires when the service shuts down. */
  readonly draining: AbortSignal;
  /** Called once, when the stream has ended. */
  onEnd(): void;
  report(error: unknown): void;
}

/** Streams everything after a position. Nothing is read ahead of the client, so that a slow one takes no memory. */
export function streamTail(start: TailPosition, source: TailSource): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const ended = new AbortController();
  let position = start;
  let stallTimer: NodeJS.Timeout | undefined;
  const end = () => {
    clearTimeout(stallTimer);
    if (ended.signal.aborted) return;
    ended.abort();
    source.onEnd();
  };
  const send = (controller: ReadableStreamDefaultController<Uint8Array>, text: string) => {
    stallTimer = setTimeout(() => {
      end();
      controller.error(new Error("The client did not read the stream in time"));
    }, MAX_STALL_MS).unref();
    controller.enqueue(encoder.encode(text));
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        send(controller, `retry: ${RECONNECT_MS}\nid: ${encodePosition(position)}\n: connected\n\n`);
      },
      async pull(controller) {
        clearTimeout(stallTimer);
        const close = (reason: string) => {
          end();
          controller.enqueue(encoder.encode(formatEvent("end", { reason })));
          controller.close();
        };
        let idleMs = 0;
        try {
          while (!ended.signal.aborted) {
            if (source.draining.aborted) return close("shutdown");
            const read = await source.read(position);
            if (ended.signal.aborted) return;
            if (read === null) return close("key_revoked");
            position = read.next;
            const text = formatRead(read) || (idleMs >= HEARTBEAT_MS ? formatHeartbeat(position) : "");
            if (text !== "") {
              send(controller, text);
              return;
            }
            await pause(POLL_MS, source.draining, ended.signal);
            idleMs += POLL_MS;
          }
        } catch (error) {
          // The client connects again and continues after the last event that it received.
          source.report(error);
          end();
          controller.error(error);
        }
      },
      cancel: end,
    },
    { highWaterMark: 1 },
  );
}

const formatHeartbeat = (position: TailPosition) => `id: ${encodePosition(position)}\n: heartbeat\n\n`;

function formatRead({ items, missed, next }: TailRead): string {
  const missedText =
    missed === 0 ? "" : formatEvent("missed", { missed }, items.length === 0 ? next : undefined);
  const texts = items.map((item) => `id: ${item.cursor}\n${formatEvent(item.kind, item)}`);
  return missedText + texts.join("");
}

/** An event of the stream. JSON contains no line feeds. */
function formatEvent(name: string, data: TailPage["items"][number] | object, at?: TailPosition): string {
  const id = at ? `id: ${encodePosition(at)}\n` : "";
  return `${id}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Waits for a time, or until one of the signals fires. */
async function pause(ms: number, ...signals: readonly AbortSignal[]): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    for (const signal of signals) signal.addEventListener("abort", done);
    if (signals.some(({ aborted }) => aborted)) done();
  });
}
