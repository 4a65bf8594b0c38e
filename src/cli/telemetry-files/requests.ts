/**
 * Builds telemetry requests from lines. Consecutive lines of one session are combined and large ones are split. Sending a
 * line twice stays harmless, because the service ignores duplicate events.
 */
import { createHash } from "node:crypto";
import { TELEMETRY_LIMITS } from "../../contract/telemetry.ts";
import type { TextLine } from "./lines.ts";

/** The position of an event in a file: its line, and its index in the `events` of that line; null if the line is one event. */
interface EventLocation {
  readonly line: number;
  readonly index: number | null;
}

/** A request body, and the lines that its events came from. */
export interface TelemetryRequest {
  readonly body: Readonly<Record<string, unknown>> & { readonly events: readonly unknown[] };
  /** The last line that is stored completely once this request is. */
  readonly throughLine: number;
  /** Where the event at an index of the body was in the file. */
  locate(index: number): EventLocation;
}

/** A line that is not a valid telemetry body. */
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

/** The maximum size of the events in a body. The rest of the limit is reserved for the envelope. */
export const MAX_EVENT_BYTES = TELEMETRY_LIMITS.bodyBytes - 64 * 1024;

/**
 * Yields requests and bad lines in the order of the input. If reading fails, first yields what was read before. `game` is the game
 * of lines that name none.
 */
export async function* buildRequests(
  lines: AsyncIterable<TextLine>,
  game?: string,
): AsyncGenerator<TelemetryRequest | BadLine> {
  let pending = null as PendingRequest | null;
  for await (const line of yieldErrorLast(lines)) {
    if ("error" in line) {
      if (pending) yield* flush(pending);
      throw line.error;
    }
    const { number, text } = line;
    const parsed = parseBody(text);
    if (typeof parsed === "string") {
      if (pending) yield* flush(pending);
      pending = null;
      yield { line: number, message: parsed };
      continue;
    }
    const { events, sessionEnded, ...named } = parsed;
    const envelope = completeEnvelope(named, text, game);
    const key = JSON.stringify(envelope);
    const fits = pending?.key === key && pending.bytes + text.length <= MAX_EVENT_BYTES;
    if (pending && !(fits && pending.events + events.length <= TELEMETRY_LIMITS.events)) {
      yield* flush(pending);
      pending = null;
    }
    pending ??= { key, envelope, parts: [], ended: false, events: 0, bytes: 0 };
    pending.parts.push({ line: number, events });
    pending.events += events.length;
    pending.bytes += text.length;
    pending.ended ||= sessionEnded === true;
  }
  if (pending) yield* flush(pending);
}

/** The most bytes that a character of a line becomes when its events are encoded again: the number 1e20 becomes 5 times as long. */
const MAX_BYTES_PER_CHARACTER = 6;

/** Adds the game and the session of a line that names none. */
function completeEnvelope(
  envelope: Readonly<Record<string, unknown>>,
  text: string,
  game: string | undefined,
): Readonly<Record<string, unknown>> {
  const { gameId = game, sessionId, clientSessionId } = envelope;
  return {
    ...envelope,
    ...(gameId === undefined ? {} : { gameId }),
    ...(sessionId === undefined && clientSessionId === undefined
      ? { clientSessionId: deriveSessionId(text) }
      : {}),
  };
}

/** Yields the items and, if reading fails, the error as the last one. */
export async function* yieldErrorLast<Item>(
  items: AsyncIterable<Item>,
): AsyncGenerator<Item | { readonly error: unknown }> {
  try {
    yield* items;
  } catch (error) {
    yield { error };
  }
}

type TelemetryBody = Record<string, unknown> & { readonly events: readonly unknown[] };

/** The body in a line, or why it is invalid. */
function parseBody(text: string): TelemetryBody | string {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return "not valid JSON";
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) return "not a JSON object";
  const { events } = body as { events?: unknown };
  return Array.isArray(events) ? (body as TelemetryBody) : "no `events` array";
}

/** A session id for a line without one. Derived from the content, so that sending the line again finds the same session. */
function deriveSessionId(text: string): string {
  return `line-${createHash("sha256").update(text).digest("hex").slice(0, 40)}`;
}

/** The pending lines as requests within all limits. Only the last one ends the session. */
function* flush(pending: PendingRequest): Generator<TelemetryRequest> {
  const allEvents = pending.parts.flatMap(({ line, events }) =>
    events.map((event, index) => ({ line, index, event })),
  );
  const lastLine = pending.parts.at(-1)?.line ?? 0;
  const isWhole = pending.bytes * MAX_BYTES_PER_CHARACTER <= MAX_EVENT_BYTES;
  const groups =
    isWhole && allEvents.length <= TELEMETRY_LIMITS.events ? [allEvents] : splitEvents(allEvents);
  for (const [index, group] of groups.entries()) {
    const isLast = index === groups.length - 1;
    const throughLine = isLast ? lastLine : (group[0]?.line ?? 1) - 1;
    yield {
      body: {
        ...pending.envelope,
        ...(isLast && pending.ended ? { sessionEnded: true } : {}),
        events: group.map(({ event }) => event),
      },
      throughLine,
      locate: (eventIndex) => group[eventIndex] ?? { line: throughLine, index: 0 },
    };
  }
}

type LocatedEvent = EventLocation & { readonly event: unknown };

function splitEvents(events: readonly LocatedEvent[]): LocatedEvent[][] {
  const groups: LocatedEvent[][] = [[]];
  let bytes = 0;
  for (const item of events) {
    const size = Buffer.byteLength(JSON.stringify(item.event)) + 1;
    const group = groups.at(-1) ?? [];
    if (group.length > 0 && (group.length >= TELEMETRY_LIMITS.events || bytes + size > MAX_EVENT_BYTES)) {
      groups.push([item]);
      bytes = size;
    } else {
      group.push(item);
      bytes += size;
    }
  }
  return groups;
}
