/** The inventory of personal data states what pruning, erasures and exports do. */
import { expect, it } from "vitest";
import { untyped } from "../../../src/server/db/rows.ts";
import { getTable, listColumns, type StoredTable, storedTables } from "../../../src/server/db/tables.ts";
import { exportTester } from "../../../src/server/erasure/export-tester.ts";
import { listPersonalData } from "../../../src/server/erasure/personal-data.ts";
import { findAccountGames } from "../../../src/server/games/game-queries.ts";
import { prune } from "../../../src/server/pruning/prune.ts";
import { NOW, type TestService } from "../../harness.ts";
import { makeWorld } from "../sample-requests.ts";
import { createStarter } from "./random-play.ts";

const { start } = createStarter();

it("lists every column of testers with a purpose", () => {
  const listed = listPersonalData().map(({ table, column }) => `${table}.${column}`);
  const classified = storedTables.flatMap((table) =>
    listColumns(table).flatMap(([column, { owner }]) => (owner === "studio" ? [] : [`${table}.${column}`])),
  );
  expect(listed).toEqual(classified);
  for (const { purpose } of listPersonalData()) expect(purpose).toMatch(/^[A-Z].*\.$/);
});

/** Reads all rows of a table. */
const readTable = async (service: TestService, table: StoredTable) =>
  await untyped<unknown>(service.service.store.readDb).selectFrom(table).selectAll().execute();

async function countRows(service: TestService): Promise<Map<StoredTable, number>> {
  const counts = new Map<StoredTable, number>();
  for (const table of storedTables) counts.set(table, (await readTable(service, table)).length);
  return counts;
}

/** The tables that keep their data as `kept` says. */
const listKept = (kept: string) => storedTables.filter((table) => getTable(table).personal?.kept === kept);

it("keeps what it says under pruning", async () => {
  const service = await start();
  await makeWorld(service, { accountId: service.accountId, keys: service.keys }, "wren");
  service.clock.now += 24 * 60 * 60 * 1000;
  await service.analysis.drain();
  const before = await countRows(service);
  const signal = new AbortController().signal;
  await prune(service.service, { keepEventsMs: 0, keepSessionsMs: null }, { signal });
  const withoutEvents = await countRows(service);
  const changed = listChanged(before, withoutEvents);
  expect(changed).toEqual(listKept("events"));
  await prune(service.service, { keepEventsMs: null, keepSessionsMs: 0 }, { signal });
  const withoutSessions = await countRows(service);
  for (const table of listKept("erasure"))
    expect([table, withoutSessions.get(table)]).toEqual([table, before.get(table)]);
  for (const table of listKept("sessions")) {
    const rows = await readTable(service, table);
    // The reports of the sample world name no session.
    expect([table, rows.filter((row) => row.session_id !== null)]).toEqual([table, []]);
  }
});

const listChanged = (before: ReadonlyMap<StoredTable, number>, after: ReadonlyMap<StoredTable, number>) =>
  storedTables.filter(
    (table) =>
      getTable(table).personal !== undefined &&
      before.get(table) !== after.get(table) &&
      table !== "retention_state",
  );

/** Numbers that mark columns, each used once. */
let lastNumber = 7_700_000_000;

/** A row of a tester, with a value in each column that says where it is from. */
function createRow(table: StoredTable, ids: Readonly<Record<string, string>>) {
  const markers = new Map<string, string | number>();
  const row: Record<string, string | number> = {};
  for (const [column, { type, finders = [], json, owner }] of listColumns(table)) {
    const id = ids[column] ?? ids[finders[0] ?? ""];
    const marker = type === "text" ? `${table}.${column}` : ++lastNumber;
    row[column] = id ?? (json ? JSON.stringify([marker]) : marker);
    if (owner === "tester") markers.set(`${table}.${column}`, id ?? marker);
  }
  return { row, markers };
}

it("exports every column of a tester", async () => {
  const service = await start();
  const owner = { accountId: service.accountId, keys: service.keys };
  const world = await makeWorld(service, owner, "wren");
  const ids = {
    ...{ game_id: world.gameId, account_id: service.accountId, session: world.sessionId, player_id: "wren" },
    ...{
      device: world.deviceId,
      handle: "wren",
      email: "wren@home.test",
      playtestKey: "key_9",
      invite: "invite_9",
    },
  };
  const db = service.service.store.writeDb;
  const tables = storedTables.filter((table) => ["delete", "clear"].includes(getTable(table).erasure));
  const read = ["sessions", "event_batches", "position_chunks", "position_slices"];
  const expected = new Map<string, string | number>();
  // A device can only be linked to one handle.
  await db.deleteFrom("tester_handles").execute();
  for (const table of tables.filter((name) => !read.includes(name))) {
    const { row, markers } = createRow(table, table === "retention_state" ? { ...ids, id: "1" } : ids);
    await untyped<string | number>(db).insertInto(table).values(row).execute();
    for (const [column, marker] of markers) expected.set(column, marker);
  }
  const { text, document } = await exportFrom(service, world.deviceId);
  const missing = [...expected].filter(([, marker]) => !text.includes(JSON.stringify(marker)));
  // Credentials, and hashes of what is exported.
  expect(missing.map(([column]) => column).sort()).toEqual([
    "bug_reports.content_hash",
    "feedback_submissions.content_hash",
    "tester_handles.claim_token_hash",
    "tester_invites.token_hash",
  ]);
  const [{ tables: exported, events }] = document.games;
  const omitted = listColumns("sessions").filter(
    ([column, facts]) => facts.owner === "tester" && !(column in exported.sessions[0]),
  );
  // Repetitions of other columns, and what only the service needs.
  expect(omitted.map(([column]) => column).sort()).toEqual([
    ...["analysis_attempts", "analysis_due", "analysis_lease", "analysis_runs", "creation_hash"],
    ...[
      "enriched_version",
      "enrichment_due",
      "item",
      "reanalysis_due",
      "search",
      "stored_bytes",
      "stored_events",
    ],
  ]);
  expect(events[world.sessionId]).toHaveLength(6);
});

it("exports positions whose events were pruned, and refusals", async () => {
  const service = await start();
  const owner = { accountId: service.accountId, keys: service.keys };
  const world = await makeWorld(service, owner, "wren");
  service.clock.now += 24 * 60 * 60 * 1000;
  await service.analysis.drain();
  const refused = {
    gameId: world.slug,
    clientSessionId: "z",
    deviceId: world.deviceId,
    events: [{ id: "x" }],
  };
  await service.post("/api/telemetry", refused);
  await service.service.arrivals.flush();
  const signal = new AbortController().signal;
  await prune(service.service, { keepEventsMs: 0, keepSessionsMs: null }, { signal });
  const { document } = await exportFrom(service, world.deviceId);
  const [{ tables, events, positions }] = document.games;
  expect(events[world.sessionId]).toEqual([]);
  expect(positions[world.sessionId]).toContainEqual({
    ...{ event: "player_pos", room: "cellar", player: "", positions: [[4, 4]] },
  });
  expect(tables.arrivals).toContainEqual({
    refusals: [expect.objectContaining({ deviceId: world.deviceId, reason: expect.any(String) })],
  });
});

async function exportFrom(service: TestService, name: string) {
  const parts: string[] = [];
  const { store } = service.service;
  await store.read(async (db) => {
    const games = await findAccountGames(db, service.accountId);
    await exportTester(db, name, games, NOW, async (part) => void parts.push(part));
  });
  const text = parts.join("");
  return { text, document: JSON.parse(text) };
}
