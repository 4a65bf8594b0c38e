/** Workloads of the capacity model: sessions that end, sent to a server as telemetry. */
import { EVENTS } from "../../src/shared/event-names.ts";
import { postRequest, sendAll } from "../load.ts";
import type { BenchServer } from "../servers.ts";
import { type Body, createBody, EVENT_INTERVAL_MS } from "../telemetry.ts";
import type { Workload } from "./model.ts";

/** Sessions that are alike. */
export interface Batch {
  readonly sessions: number;
  readonly bodies: number;
  readonly events: number;
  /** The fraction of events that are positions. */
  readonly positions: number;
}

/** The workloads that the model is fitted to. Each is dominated by a different amount. */
export const TRAINING: readonly Batch[] = [
  { sessions: 600, bodies: 1, events: 5, positions: 0 },
  { sessions: 40, bodies: 60, events: 10, positions: 0 },
  { sessions: 40, bodies: 10, events: 500, positions: 0 },
  { sessions: 40, bodies: 10, events: 500, positions: 1 },
  { sessions: 60, bodies: 20, events: 20, positions: 1 },
  { sessions: 100, bodies: 5, events: 150, positions: 0.5 },
  { sessions: 60, bodies: 8, events: 200, positions: 0.7 },
];

/** A workload that the model is not fitted to. No size of it is among those of `TRAINING`. */
export const HELD_OUT: Batch = { sessions: 80, bodies: 12, events: 300, positions: 0.8 };

/** Concurrent game clients. */
const CLIENTS = 4;
const PATH = "/api/telemetry";

/** Sends a batch of new sessions. Returns what it contained. */
export async function sendBatch(server: BenchServer, name: string, batch: Batch): Promise<Workload> {
  const sent = { sessions: 0, requests: 0, events: 0, positions: 0 };
  for (let first = 0; first < batch.sessions; first += CLIENTS) {
    const count = Math.min(CLIENTS, batch.sessions - first);
    const sessions = Array.from({ length: count }, (_, at) => createSession(`${name}-${first + at}`, batch));
    for (const bodies of sessions) add(sent, bodies);
    const requests = sessions.map((bodies) =>
      bodies.map((body) => postRequest(server.url, PATH, server.ingestKey, JSON.stringify(body))),
    );
    await sendAll(server.url, requests, 202);
  }
  return sent;
}

/** The bodies of a session. Its last event ends it, so that it is analyzed at once. */
function createSession(name: string, { bodies, events, positions }: Batch): Body[] {
  const all = Array.from({ length: bodies }, (_, part) => createBody(name, part, positions, events));
  for (const body of all) compressTime(body, bodies * events);
  const last = all.at(-1)?.events.at(-1);
  if (last) Object.assign(last, { name: EVENTS.summary, data: {} });
  return all;
}

/** Sessions that spend minutes in a room are analyzed again while the usual time of the room changes. */
const MAX_DURATION_MS = 600_000;

/** Shortens the time between events, so that a session takes at most `MAX_DURATION_MS`. */
function compressTime({ startedAt, events }: Body, sessionEvents: number): void {
  const factor = Math.min(1, MAX_DURATION_MS / (sessionEvents * EVENT_INTERVAL_MS));
  for (const event of events) {
    Object.assign(event, { timestamp: startedAt + Math.round((event.timestamp - startedAt) * factor) });
  }
}

function add(sent: Record<keyof Workload, number>, bodies: readonly Body[]): void {
  const events = bodies.flatMap((body) => body.events);
  const positions = events.filter(({ name }) => name === EVENTS.position).length;
  sent.sessions += 1;
  sent.requests += bodies.length;
  sent.positions += positions;
  sent.events += events.length - positions;
}
