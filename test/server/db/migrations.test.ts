/** Migrations of a database of an earlier version: counters match the rows, and a failed migration changes nothing. */
import { join } from "node:path";
import { type Kysely, Migrator, sql } from "kysely";
import { expect, it } from "vitest";
import { insightTypes, sentiments } from "../../../src/contract/insights.ts";
import { sessionSources, sessionStatuses } from "../../../src/contract/sessions.ts";
import { issueKeys } from "../../../src/server/accounts/accounts.ts";
import { migrations } from "../../../src/server/db/migrations/index.ts";
import type { GameRow, InsightRow, SessionRollupRow, SessionRow } from "../../../src/server/db/schema.ts";
import { serializeSessionItem } from "../../../src/server/sessions/list-item.ts";
import { createEmptyDatabase, isSharded, openBare, openTestStore, resolveDatabase } from "../../engine.ts";
import { freshFolder, NOW, startTestService } from "../../harness.ts";
import { readBuildTables } from "../builds/build-tables.ts";
import { listAll } from "../telemetry-helpers.ts";

const ACCOUNTS = ["user_a", "user_b"];
const GAMES = ["game_a", "game_b", "game_c", "game_empty"];
const BUILDS = ["1", "1 ", "é", "unknown", "__proto__", "x'--"];
const ENVIRONMENTS = ["production", "staging"];
const SESSIONS = 400;
const DAY = 86_400_000;

/** Picks the item `n` of a list, cyclically. */
const pick = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;

const getAccountId = (game: string) => (game === "game_c" ? "user_b" : "user_a");

function createSession(n: number): Omit<SessionRow, "search"> {
  const game = pick(GAMES.slice(0, 3), (n * n) % 7);
  const device = n % 5 === 0 ? null : `device-${n % 23}`;
  const row = {
    ...{ game_id: game, id: `sess_${String(n).padStart(4, "0")}`, account_id: getAccountId(game) },
    ...{ environment: pick(ENVIRONMENTS, n >> 2), build: pick(BUILDS, n >> 1) },
    ...{ source: pick(sessionSources, n * 5), status: pick(sessionStatuses, n >> 3) },
    ...{ title: `Session ${n}`, tester_handle: null, device_id: device, tester: device ?? `sess_${n}` },
    ...{ client_session_id: `c${n}`, creation_hash: null, country: null, region: null, city: null },
    // Several sessions have the same time, so that the order by id is tested.
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
    ...{ analysis_attempts: 0, analysis_error: null, analysis_version: null, reanalysis_due: null },
    events_pruned_at: null,
  };
  return { ...row, item: serializeSessionItem(row) };
}

function createInsight(
  n: number,
  { game_id, account_id, id, build, environment, tester }: StoredSession,
): InsightRow {
  return {
    ...{ game_id, id: `ins_${String(n).padStart(4, "0")}`, account_id, session_id: id, build, environment },
    ...{ tester, type: pick(insightTypes, n * 3), sentiment: pick(sentiments, n >> 1), confidence: 0.5 },
    ...{
      tag: "praise:hall",
      title: "Quick",
      evidence: "Seen",
      claims: "[]",
      created_at: NOW + ((n * 11) % 40) - (n % 5) * DAY,
    },
  };
}
type StoredSession = Omit<SessionRow, "search">;

const sessions = Array.from({ length: SESSIONS }, (_, n) => createSession(n));
const insights = sessions.flatMap((session, n) =>
  Array.from({ length: n % 4 }, (_, at) => createInsight(n * 4 + at, session)),
);

const toDay = (time: number) => Math.floor(time / DAY);
const sessionsByDay = sessions.map((row) => ({ ...row, day: toDay(row.recorded_at) }));
const insightsByDay = insights.map((row) => ({ ...row, day: toDay(row.created_at) }));

/** Creates a database with sessions at the version of migration 006. */
async function createVersionSix(): Promise<string> {
  const database = join(freshFolder(), "play.db");
  const db = await openBare(await createEmptyDatabase(database));
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateTo("006-webhooks");
  expect(error).toBeUndefined();
  await db.transaction().execute(async (trx) => {
    for (const id of ACCOUNTS)
      await trx.insertInto("accounts").values({ id, name: id, created_at: 1 }).execute();
    for (const id of GAMES) {
      const game = { id, account_id: getAccountId(id), slug: id.replace("_", "-"), name: id, created_at: 1 };
      await trx
        .insertInto("games")
        .values(game as GameRow)
        .execute();
    }
    for (const row of sessions) await trx.insertInto("sessions").values(toVersionSixRow(row)).execute();
    for (const row of countBy(sessionsByDay, ["game_id", "build", "environment", "day"], "sessions"))
      await trx
        .insertInto("session_rollups")
        .values(row as SessionRollupRow)
        .execute();
    for (const { claims: _claims, ...row } of insights)
      await trx
        .insertInto("insights")
        .values(row as InsightRow)
        .execute();
  });
  await db.destroy();
  return database;
}

/** A session as version 006 stored it, without its time of receipt and the version of its analysis. */
function toVersionSixRow(session: StoredSession) {
  const {
    received_at: _received,
    clock_shift: _shift,
    analysis_error: _error,
    analysis_version: _version,
    reanalysis_due: _due,
    events_pruned_at: _prunedAt,
    creation_hash: _hash,
    ...row
  } = session;
  const { receivedAt: _receivedAt, clockCorrected: _corrected, ...item } = JSON.parse(row.item);
  return { ...row, item: JSON.stringify(item), search: "" } as SessionRow;
}

/** Counts rows by columns, and returns the rows of the counter table. */
function countBy(rows: readonly object[], columns: readonly string[], as: string): object[] {
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

/** A sharded database counts what belongs to an account by game. */
const countByAccount = (rows: readonly object[], columns: readonly string[], as: string) =>
  countBy(
    rows.map((row) => (isSharded ? row : { ...row, game_id: "" })),
    ["account_id", "game_id", ...columns],
    as,
  );

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
  ["session_counts", countBy(sessions, ["game_id", "build", "environment", "status", "source"], "sessions")],
  ["account_session_counts", countByAccount(sessions, ["environment", "status", "source"], "sessions")],
  ["insight_counts", countBy(insights, ["game_id", "build", "type", "sentiment"], "insights")],
  ["account_insight_counts", countByAccount(insights, ["type", "sentiment"], "insights")],
  ["account_session_day_counts", countByAccount(sessionsByDay, ["day", "environment"], "sessions")],
  ["insight_day_counts", countBy(insightsByDay, ["game_id", "day"], "insights")],
  ["account_insight_day_counts", countByAccount(insightsByDay, ["day"], "insights")],
  ["game_devices", devices],
  ["game_counts", countBy(devices, ["game_id"], "devices")],
] as const)("%s matches a count of the rows", async (table, expected) => {
  const store = await openTestStore(await createVersionSix());
  const rows = await store.readDb.selectFrom(table).selectAll().execute();
  await store.close();
  expect(expected.length).toBeGreaterThan(2);
  expect(inOrder(rows)).toEqual(inOrder(expected));
});

it("counts the testers, sessions and durations of builds", async () => {
  const store = await openTestStore(await createVersionSix());
  const tables = await readBuildTables(store.readDb);
  expect(Object.values(tables).every((rows) => rows.length > 0)).toBe(true);
  const counts = await store.readDb.selectFrom("build_counts").selectAll().execute();
  await store.close();
  const testers = new Map<string, Set<string>>();
  for (const { game_id, build, tester } of sessions) {
    const key = JSON.stringify([game_id, build]);
    testers.set(key, (testers.get(key) ?? new Set()).add(tester));
  }
  const counted = counts.filter(({ environment, kind }) => environment === "all" && kind === "testers");
  expect(
    new Map(counted.map(({ game_id, build, amount }) => [JSON.stringify([game_id, build]), Number(amount)])),
  ).toEqual(new Map([...testers].map(([key, own]) => [key, own.size])));
});

it("keeps the columns of existing sessions, with an unknown time of receipt and the first version of the rules", async () => {
  const store = await openTestStore(await createVersionSix());
  const rows = await store.readDb.selectFrom("sessions").selectAll().orderBy("id").execute();
  await store.close();
  const analyzed = new Set(insights.map(({ session_id }) => session_id));
  const expected = sessions.map((row) => ({ ...row, analysis_version: analyzed.has(row.id) ? 1 : null }));
  expect(rows.map(({ search: _search, ...row }) => row)).toEqual(expected);
});

it("keeps room times, with the build and environment of their sessions", async () => {
  const database = await createVersionSix();
  const [first, second] = sessions as [StoredSession, StoredSession];
  for (const { game_id, id } of [first, second, { game_id: "game_a", id: "missing" }]) {
    const row = `'${game_id}', '${id}', 'hall', 5, 6`;
    await runStatement(
      database,
      `insert into room_times (game_id, session_id, room, ms, recorded_at) values (${row})`,
    );
  }
  const store = await openTestStore(database);
  const rows = await store.readDb.selectFrom("room_times").selectAll().orderBy("session_id").execute();
  const claims = await store.readDb.selectFrom("insights").select("claims").distinct().execute();
  await store.close();
  const time = { room: "hall", ms: 5, longest_ms: 0, completed: null, recorded_at: 6 };
  expect(rows).toEqual([
    { game_id: "game_a", session_id: "missing", build: "", environment: "", ...time },
    ...[first, second].map(({ game_id, id, build, environment }) => ({
      ...{ game_id, session_id: id, build, environment },
      ...time,
    })),
  ]);
  expect(claims).toEqual([{ claims: "[]" }]);
});

it("returns lists, totals and games that match the rows", async () => {
  const service = await startTestService({
    ...{ database: await createVersionSix() },
    // Without background work, which would repeat the analyses.
    sharesDatabase: true,
  });
  const { store } = service.service;
  for (const account of ACCOUNTS) {
    const { management: key } = await issueKeys(store.writeDb, service.service, account);
    const asAccount = { ...service, get: (path: string) => service.get(path, { key }) };
    const ids = async (path: string) => (await listAll(asAccount, path)).map(({ id }: { id: string }) => id);
    const own = { account_id: account };
    const games = [undefined, ...GAMES.filter((game) => getAccountId(game) === account)];
    for (const filter of createFilters(games, {
      env: ENVIRONMENTS,
      status: sessionStatuses,
      source: sessionSources,
    })) {
      const wanted = matching(sessions, { ...own, ...filter }).sort(
        (a, b) => b.recorded_at - a.recorded_at || (a.id < b.id ? -1 : 1),
      );
      expect([filter, await ids(buildUrl("sessions", filter))]).toEqual([filter, wanted.map(({ id }) => id)]);
    }
    for (const filter of createFilters(games, { type: insightTypes, sentiment: sentiments })) {
      const wanted = matching(insights, { ...own, ...filter }).sort(
        (a, b) => b.created_at - a.created_at || (a.id < b.id ? -1 : 1),
      );
      expect([filter, await ids(buildUrl("insights", filter))]).toEqual([filter, wanted.map(({ id }) => id)]);
    }
    for (const game of games)
      if (game) expect(await readGameCounts(asAccount, game)).toEqual(countGame(game));
  }
  await service.stop();
  expect(service.faults).toEqual([]);
});

type Filter = Readonly<Record<string, string>>;
const columns: Filter = { game: "game_id", env: "environment" };

/** Combines each filter value, and none, with each game and build. */
function createFilters(
  games: readonly (string | undefined)[],
  values: Record<string, readonly string[]>,
): Filter[] {
  const singleFilters = Object.entries(values).flatMap(([name, of]) =>
    of.map((value): Filter => ({ [name]: value })),
  );
  return games.flatMap((game) =>
    [undefined, "é", "__proto__"].flatMap((build) =>
      [{}, ...singleFilters].map((filter) => ({
        ...(game ? { game } : {}),
        ...(build ? { build } : {}),
        ...filter,
      })),
    ),
  );
}

function matching<T extends object>(rows: readonly T[], filter: Filter): T[] {
  return rows.filter((row) =>
    Object.entries(filter).every(([name, value]) => row[(columns[name] ?? name) as keyof T] === value),
  );
}

const buildUrl = (list: string, filter: Filter) => `/api/v1/${list}?${new URLSearchParams(filter)}`;

async function readGameCounts(
  service: { get(path: string): Promise<{ json: { counts: unknown } }> },
  game: string,
) {
  return (await service.get(`/api/v1/games/${game}`)).json.counts;
}

function countGame(game: string) {
  const own = sessions.filter(({ game_id }) => game_id === game);
  return {
    sessionCount: own.length,
    buildCount: new Set(own.map(({ build }) => build).filter((build) => build !== "unknown")).size,
    testerCount: new Set(own.flatMap(({ device_id }) => device_id ?? [])).size,
  };
}

it("stores the event and source of every position, whether in a chunk or in a block", async () => {
  const database = await createVersionSix();
  const db = await openBare(await resolveDatabase(database));
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  expect((await migrator.migrateTo("015-room-completions")).error).toBeUndefined();
  const pickSession = (source: string, skip = 0) =>
    sessions.filter((row) => row.source === source && row.game_id === "game_a")[skip]?.id ?? "";
  const [unity, godot, godot2, unreal] = [
    pickSession("unity-telemetry"),
    pickSession("godot-telemetry"),
    pickSession("godot-telemetry", 1),
    pickSession("unreal-telemetry"),
  ];
  const place = { game_id: "game_a", room: "hall", build: "1", environment: "production" };
  const bounds = { x_min: 1, x_max: 5, y_min: -2, y_max: 6 };
  const asBytes = (...values: number[]) => new Uint8Array(new Float64Array(values).buffer);
  const insert = (table: string, row: object) =>
    (db as unknown as Kysely<Record<string, object>>).insertInto(table).values(row).execute();
  for (const [session_id, mapped] of [
    [unity, 1],
    [godot, 0],
  ]) {
    const chunk = { ...place, session_id, seq: 7, mapped, points: 1, xy: asBytes(3, 4) };
    await insert("position_chunks", { ...chunk, x_min: 3, x_max: 3, y_min: 4, y_max: 4 });
  }
  await insert("position_blocks", {
    ...place,
    ...bounds,
    id: 1,
    mapped: 1,
    points: 2,
    xy: asBytes(1, 2, 5, 6),
  });
  const mixed = asBytes(1, -2, 3, 4, 5, 6, 2, 2);
  await insert("position_blocks", { ...place, ...bounds, id: 2, mapped: 0, points: 4, xy: mixed });
  const slice = (session_id: string, block: number, start: number, parts: number[][]) =>
    insert("position_slices", {
      game_id: "game_a",
      room: "hall",
      session_id,
      block,
      start,
      parts: JSON.stringify(parts),
    });
  await slice(unity, 1, 0, [[0, 2]]);
  await slice(godot, 2, 0, [
    [0, 1],
    [1, 1],
  ]);
  await slice(unreal, 2, 2, [[0, 1]]);
  await slice(godot2, 2, 3, [[4, 1]]);
  await db.destroy();

  const store = await openTestStore(database);
  const chunks = await store.readDb.selectFrom("position_chunks").selectAll().execute();
  const blocks = await store.readDb.selectFrom("position_blocks").selectAll().execute();
  const slices = await store.readDb.selectFrom("position_slices").selectAll().execute();
  await store.close();
  const unpack = (bytes: Uint8Array) => [...new Float64Array(new Uint8Array(bytes).buffer)];
  const point = (session_id: string, source: string, seq: number, x: number, y: number) => ({
    ...{ ...place, event: "player_pos", source, session_id, seq, points: 1 },
    ...{ x_min: x, x_max: x, y_min: y, y_max: y, xy: [x, y] },
  });
  expect(inOrder(chunks.map((row) => ({ ...row, xy: unpack(row.xy) })))).toEqual(
    inOrder([
      point(unity, "unity-telemetry", 7, 3, 4),
      point(godot, "godot-telemetry", 7, 3, 4),
      point(godot, "godot-telemetry", 0, 1, -2),
      point(godot, "godot-telemetry", 1, 3, 4),
      point(unreal, "unreal-telemetry", 0, 5, 6),
      point(godot2, "godot-telemetry", 4, 2, 2),
    ]),
  );
  const common = { event: "player_pos", source: "unity-telemetry" };
  expect(blocks.map(({ xy, ...row }) => ({ ...row, xy: unpack(xy) }))).toEqual([
    { ...place, ...bounds, ...common, id: 1, points: 2, xy: [1, 2, 5, 6] },
  ]);
  expect(slices).toEqual([
    {
      game_id: "game_a",
      session_id: unity,
      event: "player_pos",
      room: "hall",
      block: 1,
      start: 0,
      parts: "[[0,2]]",
    },
  ]);
});

async function runStatement(database: string, statement: string): Promise<void> {
  const db = await openBare(await resolveDatabase(database));
  await sql.raw(statement).execute(db);
  await db.destroy();
}

it("a migration that fails halfway changes nothing, and can be run again", async () => {
  const database = await createVersionSix();
  await runStatement(database, "create index insights_by_build on insights (title)");
  await expect(openTestStore(database)).rejects.toMatchObject({ code: "unusable" });
  await runStatement(database, "drop index insights_by_build");
  const store = await openTestStore(database);
  const { rows } = await sql<{ total: number }>`select sum(sessions) as total from session_counts`.execute(
    store.readDb,
  );
  expect(rows).toEqual([{ total: SESSIONS }]);
  await store.close();
});
