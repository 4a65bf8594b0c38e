/** Sends telemetry whose event ids follow from the number of the body, and checks afterwards what was stored. */
import { expect } from "vitest";
import { openConnection } from "../../src/server/db/sqlite.ts";
import { openTestStore } from "../engine.ts";
import { readCounters, readEventIds, recountRows } from "./recount.ts";

/** A server and its keys. */
export interface ServerAccess {
  readonly url: string;
  readonly ingestKey?: string | undefined;
  readonly managementKey?: string | undefined;
}

const EVENTS = 50;
const createEventIds = (n: number) => Array.from({ length: EVENTS }, (_, at) => `e${n}-${at}`);

/** Status, `Retry-After` and body of the response when events cannot be stored. */
export const REFUSED = [503, "1", '{"error":"Unavailable","retryAfterMs":1000}'];

/** Sends a body of about 8 kB that hardly compresses. */
export async function post({ url, ingestKey }: ServerAccess, n: number): Promise<Response> {
  const events = createEventIds(n).map((id, at) => ({
    id,
    name: `step-${at % 5}`,
    timestamp: 1_772_000_000_000 + at,
    data: { noise: Array.from({ length: 8 }, (_, part) => Math.sin(n * 1000 + at * 10 + part)) },
  }));
  return await fetch(`${url}/api/telemetry`, {
    method: "POST",
    headers: { authorization: `Bearer ${ingestKey}`, "content-type": "application/json" },
    body: JSON.stringify({ gameId: "maze", clientSessionId: `s${n % 4}`, events }),
  });
}

/** The numbers of the bodies that were accepted with 202 or refused with 503. */
export interface SendResult {
  readonly accepted: readonly number[];
  readonly refused: readonly number[];
}

/** Sends bodies concurrently. Throws if a response is neither 202 nor 503. */
export async function sendConcurrently(server: ServerAccess, bodies: readonly number[]): Promise<SendResult> {
  const accepted: number[] = [];
  const refused: number[] = [];
  await Promise.all(
    bodies.map(async (n) => {
      const response = await post(server, n);
      const text = await response.text();
      if (response.status === 202) return void accepted.push(n);
      expect([response.status, response.headers.get("retry-after"), text]).toEqual(REFUSED);
      refused.push(n);
    }),
  );
  return { accepted, refused };
}

/** Checks that reads and health checks succeed. */
export async function expectReads({ url, managementKey }: ServerAccess): Promise<void> {
  for (const path of ["/api/v1/games", "/api/v1/sessions", "/api/v1/events/maze", "/api/v1/heatmaps/maze"]) {
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${managementKey}` } });
    expect([path, response.status, await response.text()]).toEqual([path, 200, expect.any(String)]);
  }
  for (const path of ["/healthz", "/readyz"]) {
    const response = await fetch(url + path);
    expect([path, response.status, await response.text()]).toEqual([path, 200, '{"status":"ok"}']);
  }
}

/**
 * Checks that the accepted bodies are stored once, and that the counters match the rows. The bodies `optional` may be
 * stored too, but only completely and once.
 */
export async function expectStored(
  database: string,
  accepted: readonly number[],
  optional: readonly number[] = [],
): Promise<void> {
  const store = await openTestStore(database);
  const stored = (await readEventIds(store)).sort();
  const storedIdSet = new Set(stored);
  const alsoStored = optional.filter((n) => storedIdSet.has(`e${n}-0`));
  expect(stored).toEqual([...accepted, ...alsoStored].flatMap(createEventIds).sort());
  expect(await readCounters(store)).toEqual(await recountRows(store));
  await store.close();
  expect(await checkIntegrity(database)).toBe("ok");
}

/** Runs SQLite's integrity check on a file. Returns `ok` or a description of the problems. */
export async function checkIntegrity(database: string): Promise<unknown> {
  const connection = await openConnection(database, { durability: "NORMAL", readOnly: true });
  const [row] = connection.prepare("pragma integrity_check").all();
  connection.close();
  return (row as { readonly integrity_check: unknown }).integrity_check;
}
