/** Opening a database of an earlier version: what migrations count is what is there, and none is left half done. */
import { join } from "node:path";
import { Migrator, sql } from "kysely";
import { expect, it } from "vitest";
import { insightTypes, sentiments } from "../../../src/contract/insights.ts";
import { sessionSources, sessionStatuses } from "../../../src/contract/sessions.ts";
import { issueKeys } from "../../../src/server/accounts/accounts.ts";
import { migrations } from "../../../src/server/db/migrations/index.ts";
import type { InsightRow, SessionRow } from "../../../src/server/db/schema.ts";
import { serializeSessionItem } from "../../../src/server/sessions/list-item.ts";
import { addressOf, bareDatabase, openBare, openTestStore } from "../../engine.ts";
import { freshFolder, NOW, startTestService } from "../../harness.ts";
import { listAll } from "../play.ts";

const ACCOUNTS = ["user_a", "user_b"];
const GAMES = ["game_a", "game_b", "game_c", "game_empty"];
const BUILDS = ["1", "1 ", "é", "unknown", "__proto__", "x'--"];
const ENVIRONMENTS = ["production", "staging"];
const SESSIONS = 400;
const DAY = 86_400_000;

/** The n-th of a list, by a step that shares no factor with its neighbours: every combination comes up unevenly. */
const pick = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;

const accountOf = (game: string) => (game === "game_c" ? "user_b" : "user_a");

function sessionOf(n: number): Omit<SessionRow, "search"> {
  const game = pick(GAMES.slice(0, 3), (n * n) % 7);
  const device = n % 5 === 0 ? null : `device-${n % 23}`;
  const row = {
    ...{ game_id: game, id: `sess_${String(n).padStart(4, "0")}`, account_id: accountOf(game) },
    ...{ environment: pick(ENVIRONMENTS, n >> 2), build: pick(BUILDS, n >> 1) },
    ...{ source: pick(sessionSources, n * 5), status: pick(sessionStatuses, n >> 3) },
    ...{ title: `Session ${n}`, tester_handle: null, device_id: device, tester: device ?? `sess_${n}` },
    ...{ client_session_id: `c${n}`, country: null, region: null, city: null },
    // Several at the same time, so that ties are broken by id.
    ...{
      recorded_at: NOW + ((n * 37) % 50) - (n % 6) * DAY,
      first_at: null,
      received_at: null,
      clock_shift: null,
      last_at: null,
      wall_ms: 0,
      active_ms: 0,
    },
    metadata: JSON.stringify({ gameVersion: pick(BUILDS, n >> 1), platform: "windows" }),
    ...{ transcript: null, event_counts: "{}", snapshot: null, snapshot_at: null },
    ...{ experiment_tags: "{}", ended: 1, next_batch: 0, analysis_due: null, analysis_lease: null },
    analysis_attempts: 0,
  };
  return { ...row, item: serializeSessionItem(row) };
}

function insightOf(n: number, { game_id, account_id, id, build, environment, tester }: Named): InsightRow {
  return {
    ...{ game_id, id: `ins_${String(n).padStart(4, "0")}`, account_id, session_id: id, build, environment },
    ...{ tester, type: pick(insightTypes, n * 3), sentiment: pick(sentiments, n >> 1), confidence: 0.5 },
    ...{
      tag: "praise:hall",
      title: "Quick",
      evidence: "Seen",
      created_at: NOW + ((n * 11) % 40) - (n % 5) * DAY,
    },
  };
}
type Named = Omit<SessionRow, "search">;

const sessions = Array.from({ length: SESSIONS }, (_, n) => sessionOf(n));
const insights = sessions.flatMap((session, n) =>
  Array.from({ length: n % 4 }, (_, at) => insightOf(n * 4 + at, session)),
);

const dayOf = (time: number) => Math.floor(time / DAY);
const sessionsByDay = sessions.map((row) => ({ ...row, day: dayOf(row.recorded_at) }));
const insightsByDay = insights.map((row) => ({ ...row, day: dayOf(row.created_at) }));

/** A database as the sixth migration leaves it, with play in it. */
async function madeBySix(): Promise<string> {
  const database = join(freshFolder(), "play.db");
  const db = await openBare(await bareDatabase(database));
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateTo("006-webhooks");
  expect(error).toBeUndefined();
  await db.transaction().execute(async (trx) => {
    for (const id of ACCOUNTS)
      await trx.insertInto("accounts").values({ id, name: id, created_at: 1 }).execute();
    for (const id of GAMES) {
      const game = { id, account_id: accountOf(id), slug: id.replace("_", "-"), name: id, created_at: 1 };
      await trx.insertInto("games").values(game).execute();
    }
    for (const row of sessions) await trx.insertInto("sessions").values(rowOfSix(row)).execute();
    for (const row of insights) await trx.insertInto("insights").values(row).execute();
  });
  await db.destroy();
  return database;
}

/** A session as the sixth migration stored it: without a receipt, in its columns and in its list item. */
function rowOfSix({ received_at: _received, clock_shift: _shift, ...row }: Named) {
  const { receivedAt: _receivedAt, clockCorrected: _corrected, ...item } = JSON.parse(row.item);
  return { ...row, item: JSON.stringify(item), search: "" } as SessionRow;
}

/** How many rows there are of each combination of the columns, as the lines of a table of counts. */
function counted(rows: readonly object[], columns: readonly string[], as: string): object[] {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const key = JSON.stringify(columns.map((column) => row[column as keyof typeof row]));
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].map(([key, count]) => {
    const values = JSON.parse(key) as string[];
    return { ...Object.fromEntries(columns.map((column, at) => [column, values[at]])), [as]: count };
  });
}

const inOrder = (rows: readonly object[]) =>
  rows.map((row) => JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)))).sort();

const devices = [
  ...new Map(
    sessions.flatMap(({ game_id, device_id }) =>
      device_id === null ? [] : [[`${game_id} ${device_id}`, { game_id, device_id }]],
    ),
  ).values(),
];

it.each([
  ["session_counts", counted(sessions, ["game_id", "build", "environment", "status", "source"], "sessions")],
  [
    "account_session_counts",
    counted(sessions, ["account_id", "environment", "status", "source"], "sessions"),
  ],
  ["insight_counts", counted(insights, ["game_id", "build", "type", "sentiment"], "insights")],
  ["account_insight_counts", counted(insights, ["account_id", "type", "sentiment"], "insights")],
  ["account_session_day_counts", counted(sessionsByDay, ["account_id", "day", "environment"], "sessions")],
  ["insight_day_counts", counted(insightsByDay, ["game_id", "day"], "insights")],
  ["account_insight_day_counts", counted(insightsByDay, ["account_id", "day"], "insights")],
  ["game_devices", devices],
  ["game_counts", counted(devices, ["game_id"], "devices")],
] as const)("%s holds what counting the rows gives", async (table, expected) => {
  const store = await openTestStore(await madeBySix());
  const rows = await store.readDb.selectFrom(table).selectAll().execute();
  await store.close();
  expect(expected.length).toBeGreaterThan(2);
  expect(inOrder(rows)).toEqual(inOrder(expected));
});

it("keeps the times of sessions whose receipt nobody noted, and says that it is unknown", async () => {
  const store = await openTestStore(await madeBySix());
  const rows = await store.readDb.selectFrom("sessions").selectAll().orderBy("id").execute();
  await store.close();
  expect(rows.map(({ search: _search, ...row }) => row)).toEqual(sessions);
});

it("answers lists, totals and games as a search of the rows does", async () => {
  const service = await startTestService({ database: await madeBySix() });
  const { store } = service.service;
  for (const account of ACCOUNTS) {
    const { management: key } = await issueKeys(store.writeDb, service.service, account);
    const asAccount = { ...service, get: (path: string) => service.get(path, { key }) };
    const ids = async (path: string) => (await listAll(asAccount, path)).map(({ id }: { id: string }) => id);
    const own = { account_id: account };
    const games = [undefined, ...GAMES.filter((game) => accountOf(game) === account)];
    for (const filter of filtersOf(games, {
      env: ENVIRONMENTS,
      status: sessionStatuses,
      source: sessionSources,
    })) {
      const wanted = matching(sessions, { ...own, ...filter }).sort(
        (a, b) => b.recorded_at - a.recorded_at || (a.id < b.id ? -1 : 1),
      );
      expect([filter, await ids(urlOf("sessions", filter))]).toEqual([filter, wanted.map(({ id }) => id)]);
    }
    for (const filter of filtersOf(games, { type: insightTypes, sentiment: sentiments })) {
      const wanted = matching(insights, { ...own, ...filter }).sort(
        (a, b) => b.created_at - a.created_at || (a.id < b.id ? -1 : 1),
      );
      expect([filter, await ids(urlOf("insights", filter))]).toEqual([filter, wanted.map(({ id }) => id)]);
    }
    for (const game of games) if (game) expect(await countsOf(asAccount, game)).toEqual(playOf(game));
  }
  await service.stop();
  expect(service.faults).toEqual([]);
});

type Filter = Readonly<Record<string, string>>;
const columns: Filter = { game: "game_id", env: "environment" };

/** Every filter of one value beside each game and each build, and of none. */
function filtersOf(
  games: readonly (string | undefined)[],
  values: Record<string, readonly string[]>,
): Filter[] {
  const ones = Object.entries(values).flatMap(([name, of]) => of.map((value): Filter => ({ [name]: value })));
  return games.flatMap((game) =>
    [undefined, "é", "__proto__"].flatMap((build) =>
      [{}, ...ones].map((one) => ({ ...(game ? { game } : {}), ...(build ? { build } : {}), ...one })),
    ),
  );
}

function matching<T extends object>(rows: readonly T[], filter: Filter): T[] {
  return rows.filter((row) =>
    Object.entries(filter).every(([name, value]) => row[(columns[name] ?? name) as keyof T] === value),
  );
}

const urlOf = (list: string, filter: Filter) => `/api/v1/${list}?${new URLSearchParams(filter)}`;

async function countsOf(
  service: { get(path: string): Promise<{ json: { counts: unknown } }> },
  game: string,
) {
  return (await service.get(`/api/v1/games/${game}`)).json.counts;
}

function playOf(game: string) {
  const own = sessions.filter(({ game_id }) => game_id === game);
  return {
    sessionCount: own.length,
    buildCount: new Set(own.map(({ build }) => build)).size,
    testerCount: new Set(own.flatMap(({ device_id }) => device_id ?? [])).size,
  };
}

async function runIn(database: string, statement: string): Promise<void> {
  const db = await openBare(await addressOf(database));
  await sql.raw(statement).execute(db);
  await db.destroy();
}

it("a migration that fails half way leaves nothing of itself, and can be run again", async () => {
  const database = await madeBySix();
  await runIn(database, "create index insights_by_build on insights (title)");
  await expect(openTestStore(database)).rejects.toMatchObject({ code: "unusable" });
  await runIn(database, "drop index insights_by_build");
  const store = await openTestStore(database);
  const { rows } = await sql<{ total: number }>`select sum(sessions) as total from session_counts`.execute(
    store.readDb,
  );
  expect(rows).toEqual([{ total: SESSIONS }]);
  await store.close();
});
