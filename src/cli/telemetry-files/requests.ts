/** Makes telemetry bodies of lines: those of one session joined, those too large split, each still sent twice without harm. */
import { createHash } from "node:crypto";
import { TELEMETRY_LIMITS } from "../../contract/telemetry.ts";
import type { TextLine } from "./lines.ts";

/** A body ready to be sent, and the lines its events came from. */
export interface TelemetryRequest {
  readonly body: Readonly<Record<string, unknown>> & { readonly events: readonly unknown[] };
  /** The last line that is stored once this batch is. */
  readonly throughLine: number;
  /** The line of the event at an index. */
  findLine(index: number): number;
}

/** A line that is no telemetry body. */
export interface BadLine {
  readonly line: number;
  readonly message: string;
}

interface PendingLine {
  readonly line: number;
  readonly events: readonly unknown[];
}

interface PendingRequest {
  readonly key: string;
  readonly envelope: Readonly<Record<string, unknown>>;
  readonly parts: PendingLine[];
  ended: boolean;
  events: number;
  bytes: number;
}

/** Bytes of events that a body is filled to: room is left below the limit for the envelope. */
const MAX_EVENT_BYTES = TELEMETRY_LIMITS.bodyBytes - 64 * 1024;

/** Yields batches and bad lines in the order of the lines. Where the lines break off, what came before is yielded first. */
export async function* buildRequests(
  lines: AsyncIterable<TextLine>,
): AsyncGenerator<TelemetryRequest | BadLine> {
  let pending = null as PendingRequest | null;
  for await (const line of yieldFaultLast(lines)) {
    if ("fault" in line) {
      if (pending) yield* flush(pending);
      throw line.fault;
    }
    const { number, text } = line;
    const parsed = parseBody(text);
    if (typeof parsed === "string") {
      if (pending) yield* flush(pending);
      pending = null;
      yield { line: number, message: parsed };
      continue;
    }
    const { events, sessionEnded, ...envelope } = parsed;
    const named = envelope.sessionId !== undefined || envelope.clientSessionId !== undefined;
    const whole = named ? envelope : { ...envelope, clientSessionId: deriveSessionId(text) };
    const key = JSON.stringify(whole);
    const fits = pending?.key === key && pending.bytes + text.length <= MAX_EVENT_BYTES;
    if (pending && !(fits && pending.events + events.length <= TELEMETRY_LIMITS.events)) {
      yield* flush(pending);
      pending = null;
    }
    pending ??= { key, envelope: whole, parts: [], ended: false, events: 0, bytes: 0 };
    pending.parts.push({ line: number, events });
    pending.events += events.length;
    pending.bytes += text.length;
    pending.ended ||= sessionEnded === true;
  }
  if (pending) yield* flush(pending);
}

/** The lines, and where they break off the fault as the last item. */
async function* yieldFaultLast(
  lines: AsyncIterable<TextLine>,
): AsyncGenerator<TextLine | { readonly fault: unknown }> {
  try {
    yield* lines;
  } catch (fault) {
    yield { fault };
  }
}

type TelemetryBody = Record<string, unknown> & { readonly events: readonly unknown[] };

/** The body of a line, or what is wrong with it. */
function parseBody(text: string): TelemetryBody | string {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return "is not JSON";
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) return "is not a JSON object";
  const { events } = body as { events?: unknown };
  return Array.isArray(events) ? (body as TelemetryBody) : "has no array `events`";
}

/** A session id for a line that names none, made from its content: the same line is the same session. */
function deriveSessionId(text: string): string {
  return `line-${createHash("sha256").update(text).digest("hex").slice(0, 40)}`;
}

/** The pending lines as bodies that are within every limit; the last one alone ends the session. */
function* flush(pending: PendingRequest): Generator<TelemetryRequest> {
  const placed = pending.parts.flatMap(({ line, events }) => events.map((event) => ({ line, event })));
  const last = pending.parts.at(-1)?.line ?? 0;
  const groups = splitEvents(placed);
  for (const [at, group] of groups.entries()) {
    const ends = at === groups.length - 1;
    const throughLine = ends ? last : (group[0]?.line ?? 1) - 1;
    yield {
      body: {
        ...pending.envelope,
        ...(ends && pending.ended ? { sessionEnded: true } : {}),
        events: group.map(({ event }) => event),
      },
      throughLine,
      findLine: (index) => group[index]?.line ?? throughLine,
    };
  }
}

type EventWithLine = { readonly line: number; readonly event: unknown };

function splitEvents(placed: readonly EventWithLine[]): EventWithLine[][] {
  const groups: EventWithLine[][] = [[]];
  let bytes = 0;
  for (const one of placed) {
    const size = Buffer.byteLength(JSON.stringify(one.event)) + 1;
    const group = groups.at(-1) ?? [];
    if (group.length > 0 && (group.length >= TELEMETRY_LIMITS.events || bytes + size > MAX_EVENT_BYTES)) {
      groups.push([one]);
      bytes = size;
    } else {
      group.push(one);
      bytes += size;
    }
  }
  return groups;
}
