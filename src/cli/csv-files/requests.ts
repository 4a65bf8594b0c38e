/**
 * Builds telemetry requests from imported rows. The rows of a session may be anywhere in the file, so a few sessions are
 * collected at the same time, within a limit of memory.
 */
import { TELEMETRY_LIMITS } from "../../contract/telemetry.ts";
import { type BadLine, MAX_EVENT_BYTES, type TelemetryRequest } from "../telemetry-files/requests.ts";
import { RowFault } from "./columns.ts";
import type { ImportedEvent, ImportedRow, RejectedRow, SessionFields } from "./rows.ts";
import { type SessionFinder, toEnvelope } from "./sessions.ts";

/** The maximum size of all collected events. When it is reached, the session that was started first is sent. */
const MAX_COLLECTED_BYTES = 12 * 1024 * 1024;
const MAX_COLLECTED_EVENTS = 40_000;

/** What every body contains in addition to the session and its events. */
interface ImportTarget {
  readonly game: string | undefined;
  readonly source: string | undefined;
  /** Only rows after this line are sent. */
  readonly afterLine: number;
}

/** An event as JSON, and its size in a request in bytes. Throws `RowFault` if no request can contain it. */
export function writeEvent(event: ImportedEvent): { readonly json: string; readonly size: number } {
  const json = JSON.stringify(event);
  const size = Buffer.byteLength(json) + 1;
  if (size > MAX_EVENT_BYTES) throw new RowFault(`the event is larger than ${MAX_EVENT_BYTES / 1024} KiB`);
  return { json, size };
}

/** The events of a session as JSON in a buffer, which takes no part in garbage collection. */
class CollectedSession {
  fields: SessionFields;
  readonly #lines: number[] = [];
  /** Unix ms. */
  readonly #times: number[] = [];
  readonly #ends: number[] = [];
  #buffer = Buffer.alloc(0);

  constructor(fields: SessionFields) {
    this.fields = fields;
  }

  get events(): number {
    return this.#ends.length;
  }

  get firstLine(): number {
    return this.#lines[0] ?? 1;
  }

  /** The size of the events in a request. */
  get bytes(): number {
    return (this.#ends.at(-1) ?? 0) + this.events;
  }

  add(line: number, time: number, json: string, size: number): void {
    const start = this.#ends.at(-1) ?? 0;
    const end = start + size - 1;
    if (end > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(end, 2 * this.#buffer.length));
      this.#buffer.copy(grown, 0, 0, start);
      this.#buffer = grown;
    }
    this.#buffer.write(json, start, "utf8");
    this.#lines.push(line);
    this.#times.push(time);
    this.#ends.push(end);
  }

  /** The events in the order of their times, each with its line. */
  read(): { readonly line: number; readonly time: number; readonly event: unknown }[] {
    const rows = this.#ends.map((end, at) => ({
      line: this.#lines[at] ?? 0,
      time: this.#times[at] ?? 0,
      event: JSON.parse(this.#buffer.toString("utf8", this.#ends[at - 1] ?? 0, end)),
    }));
    return rows.sort((a, b) => a.time - b.time);
  }
}

class Collector {
  /** By session id, in the order of their first collected rows. */
  readonly sessions = new Map<string, CollectedSession>();
  readonly #target: ImportTarget;
  #events = 0;
  #bytes = 0;
  #line = 0;

  constructor(target: ImportTarget) {
    this.#target = target;
  }

  /** Adds a row, and returns the requests that it makes necessary. Throws `RowFault` if the event is too large. */
  add(session: string, fields: SessionFields, { line, event }: ImportedRow): TelemetryRequest[] {
    const { json, size } = writeEvent(event);
    const requests: TelemetryRequest[] = [];
    const open = this.sessions.get(session);
    const fits = open && open.events < TELEMETRY_LIMITS.events && open.bytes + size <= MAX_EVENT_BYTES;
    if (open && !fits) requests.push(this.flush(session, open, false));
    const collected = this.sessions.get(session) ?? new CollectedSession(fields);
    collected.fields = fields;
    collected.add(line, event.timestamp, json, size);
    this.sessions.set(session, collected);
    this.#events += 1;
    this.#bytes += size;
    this.#line = line;
    while (this.#events > MAX_COLLECTED_EVENTS || this.#bytes > MAX_COLLECTED_BYTES) {
      const [oldest] = this.sessions;
      if (!oldest) break;
      requests.push(this.flush(...oldest, false));
    }
    return requests;
  }

  flush(session: string, collected: CollectedSession, ends: boolean): TelemetryRequest {
    const { fields, bytes } = collected;
    const rows = collected.read();
    this.sessions.delete(session);
    this.#events -= rows.length;
    this.#bytes -= bytes;
    const { game, source } = this.#target;
    const [first] = this.sessions.values();
    return {
      body: {
        ...(game === undefined ? {} : { gameId: game }),
        clientSessionId: session,
        ...toEnvelope(fields),
        ...(source === undefined ? {} : { source }),
        startedAt: rows[0]?.time ?? 0,
        ...(ends ? { sessionEnded: true } : {}),
        events: rows.map(({ event }) => event),
      },
      // All rows before the first collected one were sent.
      throughLine: first === undefined ? this.#line : first.firstLine - 1,
      locate: (index) => ({ line: rows[index]?.line ?? rows[0]?.line ?? 0, index: null }),
    };
  }
}

/** The requests that a row makes necessary, or why it is rejected. */
function* collectRow(
  collector: Collector,
  row: ImportedRow | RejectedRow,
  sessions: SessionFinder,
  { afterLine }: ImportTarget,
): Generator<TelemetryRequest | BadLine> {
  const isSent = row.line > afterLine;
  try {
    if ("message" in row) throw new RowFault(row.message);
    const { session, fields } = sessions.find(row);
    if (isSent) yield* collector.add(session, fields, row);
  } catch (error) {
    if (!(error instanceof RowFault)) throw error;
    if (isSent) yield { line: row.line, message: error.message };
  }
}

/**
 * Yields the requests and the rejected rows of a file. Only sessions that are still collected at the end of the file are
 * ended; the service ends the others after 30 minutes. If reading fails, first yields what was read before.
 */
export async function* buildImportRequests(
  rows: AsyncIterable<readonly (ImportedRow | RejectedRow)[]>,
  sessions: SessionFinder,
  target: ImportTarget,
): AsyncGenerator<TelemetryRequest | BadLine> {
  const collector = new Collector(target);
  let failure: { readonly error: unknown } | null = null;
  try {
    for await (const group of rows)
      for (const row of group) yield* collectRow(collector, row, sessions, target);
  } catch (error) {
    failure = { error };
  }
  for (const [session, collected] of [...collector.sessions])
    yield collector.flush(session, collected, failure === null);
  if (failure) throw failure.error;
}
