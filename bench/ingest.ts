/**
 * Ingest: events per second that the service stores durably in a database file, compared with servers that only parse (and
 * check) the same bodies; and without HTTP on Postgres, compared with SQLite.
 */
import { join } from "node:path";
import { createAccount } from "../src/server/accounts/accounts.ts";
import { openStore } from "../src/server/db/open.ts";
import { ensureGame } from "../src/server/games/games.ts";
import { startService as startInProcess } from "../src/server/start.ts";
import { ingest } from "../src/server/telemetry/ingest.ts";
import { startOwnPostgres } from "../test/postgres/server.ts";
import { postRequest, sendAll } from "./load.ts";
import { type Case, getMedian, type Medians, medians, print, rate, ratio, timed } from "./measure.ts";
import { inFolder, startBaseline, startService } from "./servers.ts";
import { recordTarget } from "./targets.ts";
import { type Body, createBody, EVENTS_PER_BODY, GAME } from "./telemetry.ts";

/** Concurrent game clients, each with its own connection and session. */
const CLIENTS = 8;
const PATH = "/api/telemetry";
const PARSED = "node:http, JSON.parse, nothing stored";
const CHECKED = "the same, with every event checked";
const SERVICE = "the service";
const ON_SQLITE = "service on SQLite, 8 bodies at once";
const ON_POSTGRES = "the same on Postgres";

/** Stores bodies, each in its own durable transaction. */
interface Sink {
  take(bodies: readonly Body[]): Promise<number>;
  stop(): Promise<void> | void;
}

/** Measures and prints. */
export async function benchIngest(quick: boolean): Promise<void> {
  const [rounds, bodies] = quick ? [3, 10] : [9, 25];
  await inFolder((folder) => overHttp(folder, rounds, bodies));
  await inFolder((folder) => onPostgres(folder, rounds, bodies));
}

async function overHttp(folder: string, rounds: number, bodies: number): Promise<void> {
  const [parsing, checking] = [await startBaseline(), await startBaseline("", "--check")];
  const service = await startService(folder, join(folder, "http.db"), GAME);
  const post = async (url: string, key: string, round: number) => {
    const requests = roundBodies(round, bodies).map((own) =>
      own.map((body) => postRequest(url, PATH, key, JSON.stringify(body))),
    );
    return await timed(() => sendAll(url, requests, 202));
  };
  const cases: Case[] = [
    { name: PARSED, run: (round) => post(parsing.url, "none", round) },
    { name: CHECKED, run: (round) => post(checking.url, "none", round) },
    { name: SERVICE, run: (round) => post(service.url, service.ingestKey, round) },
  ];
  try {
    const measured = await medians(cases, rounds);
    printTable(
      `Ingest, ${EVENTS_PER_BODY} events per request, ${CLIENTS} connections`,
      cases,
      measured,
      bodies,
    );
    recordTarget("ingest", getMedian(measured, CHECKED) / getMedian(measured, SERVICE));
  } finally {
    await Promise.all([parsing.stop(), checking.stop(), service.stop()]);
  }
}

/** A Postgres server with default settings, which also waits for the disk at each commit. */
async function onPostgres(folder: string, rounds: number, bodies: number): Promise<void> {
  const postgres = await startOwnPostgres();
  try {
    const sinks: Readonly<Record<string, Sink>> = {
      [ON_SQLITE]: await openDirect(join(folder, "together.db"), CLIENTS),
      [ON_POSTGRES]: await openDirect(postgres.url, CLIENTS),
    };
    const cases: Case[] = Object.entries(sinks).map(([name, sink]) => ({
      name,
      run: (round) => sink.take(roundBodies(round, bodies).flat()),
    }));
    const measured = await medians(cases, rounds, 2);
    printTable("Storing without HTTP on two engines", cases, measured, bodies);
    for (const sink of Object.values(sinks)) await sink.stop();
  } finally {
    await postgres.stop();
  }
}

function printTable(heading: string, cases: readonly Case[], measured: Medians, bodies: number): void {
  const events = CLIENTS * bodies * EVENTS_PER_BODY;
  const floor = getMedian(measured, cases[0]?.name ?? "");
  const rows = cases.map(({ name }) => [
    name,
    rate(events, getMedian(measured, name)),
    ratio(floor / getMedian(measured, name)),
  ]);
  print(heading, [["", "events", "ratio"], ...rows]);
}

/** Creates the bodies of a round by client, with new sessions, so that every event is new. */
function roundBodies(round: number, bodies: number): Body[][] {
  return Array.from({ length: CLIENTS }, (_, client) =>
    Array.from({ length: bodies }, (_unused, part) => createBody(`round-${round}-client-${client}`, part)),
  );
}

/** The service itself. `clients` store an equal share of the bodies each, one body after another. */
async function openDirect(database: string, clients: number): Promise<Sink> {
  const store = await openStore({ database });
  const { service, stop } = await startInProcess({ store, limits: "off" });
  const account = await createAccount(store.writeDb, service, "bench");
  await ensureGame(store.writeDb, service, account.id, GAME);
  const scope = { accountId: account.id, boundGameId: null };
  const storeAll = async (bodies: readonly Body[]) => {
    for (const body of bodies) await ingest(service, scope, body);
  };
  return {
    take: (bodies) => {
      const share = Math.ceil(bodies.length / clients);
      const shares = Array.from({ length: clients }, (_, n) => bodies.slice(n * share, (n + 1) * share));
      return timed(() => Promise.all(shares.map(storeAll)));
    },
    stop,
  };
}
