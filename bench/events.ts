/** Event sums: counts by name over many sessions, compared with SQL in DuckDB and Postgres over one row per session and name. */
import { join } from "node:path";
import { createAccount, issueKeys } from "../src/server/accounts/accounts.ts";
import { openStore } from "../src/server/db/open.ts";
import { ensureGame } from "../src/server/games/games.ts";
import { startService } from "../src/server/start.ts";
import { sumEvents } from "../src/server/telemetry/event-sum-queries.ts";
import { ingest } from "../src/server/telemetry/ingest.ts";
import { DUCKDB_THREADS, type Duck, openDuck } from "./duckdb.ts";
import { type Case, getMedian, medians, ms, print, ratio, timed } from "./measure.ts";
import { openPostgres, type Postgres } from "./postgres.ts";
import { inFolder } from "./servers.ts";
import { recordTarget } from "./targets.ts";
import { GAME } from "./telemetry.ts";

const NAMES = Array.from({ length: 50 }, (_, at) => `event_${String(at).padStart(2, "0")}`);
const BUILDS = 3;
const BEGIN = Date.UTC(2026, 0, 1);
/** One session every 50 minutes: 10,000 sessions cover a year. */
const SESSION_INTERVAL_MS = 50 * 60_000;
const DUCKDB = `DuckDB, ${DUCKDB_THREADS} threads`;
const POSTGRES = "Postgres";
const QUERY = "the query only";
const REQUEST = "the whole request";

/** Counts of a session by name, more of some names than of others; the same on every run. */
const createCounts = (session: number) =>
  NAMES.map((name, at) => [name, 1 + ((session + at * 7) % 4)] as const);
const chooseBuild = (session: number) => `1.${session % BUILDS}`;

/** Measures and prints. */
export async function benchEvents(quick: boolean): Promise<void> {
  const sessions = quick ? 1000 : 10_000;
  await inFolder(async (folder) => {
    const own = await openFilled(join(folder, "events.db"), sessions);
    const duck = await openRows(join(folder, "events.duckdb"), sessions);
    const postgres = await openPostgresRows(sessions);
    const others = { duck, postgres };
    try {
      const range = { from: BEGIN + 12_345_678, to: BEGIN + Math.floor(sessions / 2) * SESSION_INTERVAL_MS };
      recordTarget("eventsOverDuckDb", await compare("all sessions", sessions, own, others, {}));
      await compare("one build", sessions, own, others, { build: "1.1" });
      const half = "half of the time range, with partial days";
      recordTarget("eventsBetweenTimesOverDuckDb", await compare(half, sessions, own, others, range));
    } finally {
      await own.stop();
      duck.stop();
      await postgres.stop();
    }
  });
}

interface Filter {
  readonly build?: string;
  readonly from?: number;
  readonly to?: number;
}

/** Measures one query everywhere, and returns the speed of the whole request relative to DuckDB. */
async function compare(
  what: string,
  sessions: number,
  own: Awaited<ReturnType<typeof openFilled>>,
  { duck, postgres }: { readonly duck: Duck; readonly postgres: Postgres },
  filter: Filter,
): Promise<number> {
  const sql = buildSql(filter);
  const theirs = new Map((await duck.rows(sql)).map(([name, count]) => [String(name), Number(count)]));
  const ours = (await own.sums(filter)).byName;
  for (const name of NAMES)
    if (theirs.get(name) !== ours.get(name))
      throw new Error(`${name}: ${theirs.get(name)}, ${ours.get(name)}`);
  const cases: Case[] = [
    { name: DUCKDB, run: () => timed(() => duck.rows(sql)) },
    { name: POSTGRES, run: () => timed(() => postgres.rows(sql)) },
    { name: QUERY, run: () => timed(() => own.sums(filter)) },
    { name: REQUEST, run: () => timed(() => own.ask(filter)) },
  ];
  const measured = await medians(cases, 25, 3);
  const rows = cases.map(({ name }) => [
    name,
    ms(getMedian(measured, name)),
    ratio(getMedian(measured, name) / getMedian(measured, DUCKDB)),
  ]);
  const heading = `Event sums over ${sessions.toLocaleString("en")} sessions and ${NAMES.length} names, ${what}`;
  print(heading, [["", "median", "ratio"], ...rows]);
  return getMedian(measured, DUCKDB) / getMedian(measured, REQUEST);
}

async function openFilled(database: string, sessions: number) {
  const store = await openStore({ database, durability: "NORMAL" });
  const { service, app, analysis, eventCompaction, stop } = await startService({ store, limits: "off" });
  await analysis.stop();
  const account = await createAccount(store.writeDb, service, "bench");
  const { id: gameId } = await ensureGame(store.writeDb, service, account.id, GAME);
  const { management } = await issueKeys(store.writeDb, service, account.id);
  const scope = { accountId: account.id, boundGameId: null };
  for (let session = 0; session < sessions; session += 1) {
    const startedAt = BEGIN + session * SESSION_INTERVAL_MS;
    const events = createCounts(session).flatMap(([name, count]) =>
      Array.from({ length: count }, (_, at) => ({ id: `${name}-${at}`, name, timestamp: startedAt + at })),
    );
    const sessionMetadata = { gameVersion: chooseBuild(session), platform: "windows" };
    await ingest(service, scope, { gameId, startedAt, sessionMetadata, events });
  }
  await eventCompaction.drain();
  return {
    sums: (filter: Filter) => sumEvents(store.readDb, { gameId, ...filter }),
    async ask(filter: Filter): Promise<string> {
      const query = Object.entries(filter)
        .map((pair) => pair.join("="))
        .join("&");
      const answer = await app.fetch(
        new Request(`http://127.0.0.1/api/v1/events/${GAME}?${query}`, {
          headers: { authorization: `Bearer ${management}` },
        }),
      );
      if (answer.status !== 200) throw new Error(`GET events returned ${answer.status}`);
      return await answer.text();
    },
    stop,
  };
}

/** The normalized table in DuckDB, with one row per session and name. */
async function openRows(file: string, sessions: number): Promise<Duck> {
  const duck = await openDuck(file);
  const { connection } = duck;
  await connection.run(
    "CREATE TABLE counts (session INTEGER, build TEXT, time BIGINT, name TEXT, count INTEGER)",
  );
  const appender = await connection.createAppender("counts");
  for (let session = 0; session < sessions; session += 1) {
    for (const [name, count] of createCounts(session)) {
      appender.appendInteger(session);
      appender.appendVarchar(chooseBuild(session));
      appender.appendBigInt(BigInt(BEGIN + session * SESSION_INTERVAL_MS));
      appender.appendVarchar(name);
      appender.appendInteger(count);
      appender.endRow();
    }
  }
  appender.closeSync();
  return duck;
}

/** The same table on a Postgres server. */
async function openPostgresRows(sessions: number): Promise<Postgres> {
  const postgres = await openPostgres();
  await postgres.rows(
    "CREATE TABLE counts (session INTEGER, build TEXT, time BIGINT, name TEXT, count INTEGER)",
  );
  const insert = "INSERT INTO counts SELECT $1, $2, $3, * FROM unnest($4::text[], $5::int[])";
  await postgres.rows("BEGIN");
  for (let session = 0; session < sessions; session += 1) {
    const counts = createCounts(session);
    const own = [session, chooseBuild(session), BEGIN + session * SESSION_INTERVAL_MS];
    await postgres.rows(insert, [...own, counts.map(([name]) => name), counts.map(([, count]) => count)]);
  }
  await postgres.rows("COMMIT");
  await postgres.rows("VACUUM ANALYZE counts");
  return postgres;
}

function buildSql({ build, from, to }: Filter): string {
  const where = [
    ...(build === undefined ? [] : [`build = '${build}'`]),
    ...(from === undefined ? [] : [`time >= ${from}`]),
    ...(to === undefined ? [] : [`time <= ${to}`]),
  ];
  return `SELECT name, sum(count) FROM counts ${where.length > 0 ? `WHERE ${where.join(" AND ")}` : ""} GROUP BY name`;
}
