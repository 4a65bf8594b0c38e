/**
 * Ingest: events a second that the service stores durably in a database file, against a server that parses the same
 * bodies and keeps nothing; and without HTTP between, as `playtest server import` stores them.
 */
import { join } from "node:path";
import { createAccount, ensureGame } from "../src/server/accounts.ts";
import { openStore } from "../src/server/db/open.ts";
import { ingest } from "../src/server/ingest/ingest.ts";
import { startService as startInProcess } from "../src/server/start.ts";
import { postRequest, sendAll } from "./load.ts";
import { type Case, medians, of, print, rate, ratio, timed } from "./measure.ts";
import { type Body, bodyOf, EVENTS_A_BODY, GAME } from "./play.ts";
import { inFolder, startFloor, startService } from "./servers.ts";

/** Game clients at once, each with a connection and a session. */
const CLIENTS = 8;
const PATH = "/api/telemetry";
const FLOOR = "node:http, JSON.parse, nothing stored";
const SERVICE = "the service";
const DIRECT = "without HTTP";

/** Measures and prints. */
export async function benchIngest(quick: boolean): Promise<void> {
  const [rounds, bodies] = quick ? [3, 10] : [7, 25];
  await inFolder(async (folder) => {
    const floor = await startFloor();
    const service = await startService(folder, join(folder, "http.db"), GAME);
    const direct = await openDirect(join(folder, "direct.db"));
    const post = async (url: string, key: string, round: number) => {
      const requests = roundBodies(round, bodies).map((own) =>
        own.map((body) => postRequest(url, PATH, key, JSON.stringify(body))),
      );
      return await timed(() => sendAll(url, requests, 202));
    };
    const cases: Case[] = [
      { name: FLOOR, run: (round) => post(floor.url, "none", round) },
      { name: SERVICE, run: (round) => post(service.url, service.ingestKey, round) },
      { name: DIRECT, run: (round) => direct.take(roundBodies(round, bodies).flat()) },
    ];
    try {
      const measured = await medians(cases, rounds);
      const events = CLIENTS * bodies * EVENTS_A_BODY;
      const rows = [FLOOR, SERVICE, DIRECT].map((name) => [
        name,
        rate(events, of(measured, name)),
        ratio(of(measured, FLOOR) / of(measured, name)),
      ]);
      print(`Ingest, ${EVENTS_A_BODY} events a request, ${CLIENTS} connections`, [
        ["", "events", "ratio"],
        ...rows,
      ]);
    } finally {
      await Promise.all([floor.stop(), service.stop(), direct.stop()]);
    }
  });
}

/** The bodies of a round, by client: a new session each round, so that every event is new. */
function roundBodies(round: number, bodies: number): Body[][] {
  return Array.from({ length: CLIENTS }, (_, client) =>
    Array.from({ length: bodies }, (_unused, part) => bodyOf(`round-${round}-client-${client}`, part)),
  );
}

async function openDirect(database: string) {
  const store = await openStore({ database });
  const { service, stop } = await startInProcess({ store, limits: "off" });
  const account = await createAccount(store.write, service, "bench");
  await ensureGame(store.write, service, account.id, GAME);
  const scope = { accountId: account.id, boundGameId: null };
  return {
    take: (bodies: readonly Body[]) =>
      timed(async () => {
        for (const body of bodies) await ingest(service, scope, body);
      }),
    stop,
  };
}
