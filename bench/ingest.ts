/**
 * Ingest: events a second that the service stores durably in a database file, against servers that parse (and check)
 * the same bodies and keep nothing; and without HTTP between, as `playtest server import` stores them, against one row
 * an event in the same engine, and against DuckDB.
 */
import { join } from "node:path";
import { createAccount } from "../src/server/accounts/accounts.ts";
import { openStore } from "../src/server/db/open.ts";
import { openConnection } from "../src/server/db/sqlite.ts";
import { ensureGame } from "../src/server/games/games.ts";
import { startService as startInProcess } from "../src/server/start.ts";
import { ingest } from "../src/server/telemetry/ingest.ts";
import { openDuck } from "./duckdb.ts";
import { postRequest, sendAll } from "./load.ts";
import { type Case, type Medians, medians, of, print, rate, ratio, timed } from "./measure.ts";
import { type Body, bodyOf, EVENTS_A_BODY, GAME } from "./play.ts";
import { inFolder, startFloor, startService } from "./servers.ts";
import { note } from "./targets.ts";

/** Game clients at once, each with a connection and a session. */
const CLIENTS = 8;
const PATH = "/api/telemetry";
const PARSED = "node:http, JSON.parse, nothing stored";
const CHECKED = "the same, and every event checked";
const SERVICE = "the service";
const ROWS = "SQLite, a row an event";
const DUCKDB = "DuckDB's appender, a row an event";
const DIRECT = "the service without HTTP";

/** Something that stores bodies, each in a transaction of its own that is on the disk when it is over. */
interface Sink {
  take(bodies: readonly Body[]): Promise<number>;
  stop(): Promise<void> | void;
}

/** Measures and prints. */
export async function benchIngest(quick: boolean): Promise<void> {
  const [rounds, bodies] = quick ? [3, 10] : [9, 25];
  await inFolder((folder) => overHttp(folder, rounds, bodies));
  await inFolder((folder) => withoutHttp(folder, rounds, bodies));
}

async function overHttp(folder: string, rounds: number, bodies: number): Promise<void> {
  const [parsing, checking] = [await startFloor(), await startFloor("", "--check")];
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
    tell(`Ingest, ${EVENTS_A_BODY} events a request, ${CLIENTS} connections`, cases, measured, bodies);
    note("ingest", of(measured, CHECKED) / of(measured, SERVICE));
  } finally {
    await Promise.all([parsing.stop(), checking.stop(), service.stop()]);
  }
}

async function withoutHttp(folder: string, rounds: number, bodies: number): Promise<void> {
  const sinks: Readonly<Record<string, Sink>> = {
    [ROWS]: await openRows(join(folder, "rows.db")),
    [DUCKDB]: await openDuckRows(join(folder, "duck.db")),
    [DIRECT]: await openDirect(join(folder, "direct.db")),
  };
  const cases: Case[] = Object.entries(sinks).map(([name, sink]) => ({
    name,
    run: (round) => sink.take(roundBodies(round, bodies).flat()),
  }));
  try {
    const measured = await medians(cases, rounds);
    tell(`Storing without HTTP, ${EVENTS_A_BODY} events a transaction`, cases, measured, bodies);
  } finally {
    for (const sink of Object.values(sinks)) await sink.stop();
  }
}

function tell(heading: string, cases: readonly Case[], measured: Medians, bodies: number): void {
  const events = CLIENTS * bodies * EVENTS_A_BODY;
  const floor = of(measured, cases[0]?.name ?? "");
  const rows = cases.map(({ name }) => [
    name,
    rate(events, of(measured, name)),
    ratio(floor / of(measured, name)),
  ]);
  print(heading, [["", "events", "ratio"], ...rows]);
}

/** The bodies of a round, by client: a new session each round, so that every event is new. */
function roundBodies(round: number, bodies: number): Body[][] {
  return Array.from({ length: CLIENTS }, (_, client) =>
    Array.from({ length: bodies }, (_unused, part) => bodyOf(`round-${round}-client-${client}`, part)),
  );
}

async function openDirect(database: string): Promise<Sink> {
  const store = await openStore({ database });
  const { service, stop } = await startInProcess({ store, limits: "off" });
  const account = await createAccount(store.writeDb, service, "bench");
  await ensureGame(store.writeDb, service, account.id, GAME);
  const scope = { accountId: account.id, boundGameId: null };
  return {
    take: (bodies) =>
      timed(async () => {
        for (const body of bodies) await ingest(service, scope, body);
      }),
    stop,
  };
}

/** What one would write first: a table of events, whose key sees to it that each is stored once. */
async function openRows(file: string): Promise<Sink> {
  const database = await openConnection(file, { durability: "FULL" });
  database.exec(
    "CREATE TABLE events (session TEXT, id TEXT, name TEXT, time INTEGER, data TEXT, PRIMARY KEY (session, id)) WITHOUT ROWID",
  );
  const insert = database.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING");
  return {
    take: (bodies) =>
      timed(() => {
        for (const { clientSessionId, events } of bodies) {
          database.exec("BEGIN IMMEDIATE");
          for (const { id, name, timestamp, data } of events)
            insert.run(clientSessionId, id, name, timestamp, JSON.stringify(data));
          database.exec("COMMIT");
        }
      }),
    stop: () => database.close(),
  };
}

/** The same table without a key, which DuckDB pays dearly for: nothing sees to it that an event is stored once. */
async function openDuckRows(file: string): Promise<Sink> {
  const { connection, stop } = await openDuck(file);
  await connection.run("CREATE TABLE events (session TEXT, id TEXT, name TEXT, time BIGINT, data TEXT)");
  const appendAll = async ({ clientSessionId, events }: Body) => {
    await connection.run("BEGIN");
    const appender = await connection.createAppender("events");
    for (const { id, name, timestamp, data } of events) {
      appender.appendVarchar(clientSessionId);
      appender.appendVarchar(id);
      appender.appendVarchar(name);
      appender.appendBigInt(BigInt(timestamp));
      appender.appendVarchar(JSON.stringify(data));
      appender.endRow();
    }
    appender.closeSync();
    await connection.run("COMMIT");
  };
  return {
    take: (bodies) =>
      timed(async () => {
        for (const body of bodies) await appendAll(body);
      }),
    stop,
  };
}
