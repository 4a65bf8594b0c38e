/** Play whose every event is known by its body's number: sent while a disk is in trouble, and looked for afterwards. */
import { expect } from "vitest";
import { openConnection } from "../../src/server/db/sqlite.ts";
import { openTestStore } from "../engine.ts";
import { countedSums, keptSums, storedIds } from "./recount.ts";

/** A server that is played on. */
export interface Playable {
  readonly url: string;
  readonly ingestKey?: string | undefined;
  readonly managementKey?: string | undefined;
}

const EVENTS = 50;
const idsOf = (n: number) => Array.from({ length: EVENTS }, (_, at) => `e${n}-${at}`);

/** Status, `Retry-After` and body of an answer to what cannot be stored now. */
export const REFUSED = [503, "1", '{"error":"Unavailable","retryAfterMs":1000}'];

/** Sends a body of some 8 kB that does not compress. */
export async function post({ url, ingestKey }: Playable, n: number): Promise<Response> {
  const events = idsOf(n).map((id, at) => ({
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

/** What became of bodies, by their numbers. */
export interface Sent {
  readonly taken: readonly number[];
  /** Those that were told to come again. */
  readonly refused: readonly number[];
}

/** Sends bodies all at once; each is taken, or told to come again. */
export async function sendAtOnce(server: Playable, bodies: readonly number[]): Promise<Sent> {
  const [taken, refused]: number[][] = [[], []];
  await Promise.all(
    bodies.map(async (n) => {
      const response = await post(server, n);
      const text = await response.text();
      if (response.status === 202) return void taken?.push(n);
      expect([response.status, response.headers.get("retry-after"), text]).toEqual(REFUSED);
      refused?.push(n);
    }),
  );
  return { taken: taken ?? [], refused: refused ?? [] };
}

/** Every read goes on while nothing can be stored. */
export async function expectReads({ url, managementKey }: Playable): Promise<void> {
  for (const path of ["/api/v1/games", "/api/v1/sessions", "/api/v1/events/maze", "/api/v1/heatmaps/maze"]) {
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${managementKey}` } });
    expect([path, response.status, await response.text()]).toEqual([path, 200, expect.any(String)]);
  }
  for (const path of ["/healthz", "/readyz"]) {
    const response = await fetch(url + path);
    expect([path, response.status, await response.text()]).toEqual([path, 200, '{"status":"ok"}']);
  }
}

/** What was acknowledged, once, and sums that are what counting gives; `perhaps` may be there too, whole and once. */
export async function expectStored(
  database: string,
  taken: readonly number[],
  perhaps: readonly number[] = [],
): Promise<void> {
  const store = await openTestStore(database);
  const stored = (await storedIds(store)).sort();
  const known = new Set(stored);
  const alsoThere = perhaps.filter((n) => known.has(`e${n}-0`));
  expect(stored).toEqual([...taken, ...alsoThere].flatMap(idsOf).sort());
  expect(await keptSums(store)).toEqual(await countedSums(store));
  await store.close();
  expect(await integrityOf(database)).toBe("ok");
}

/** What SQLite finds wrong with a file: `ok`, or words. */
export async function integrityOf(database: string): Promise<unknown> {
  const connection = await openConnection(database, { durability: "NORMAL", readOnly: true });
  const [found] = connection.prepare("pragma integrity_check").all();
  connection.close();
  return (found as { readonly integrity_check: unknown }).integrity_check;
}
