/**
 * What the service derives from stored sessions may only change with the version of what derives it. Otherwise, an upgrade would
 * leave the values of old sessions as they are, and compare them with new ones.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ANALYSIS_VERSION, SUMMARY_VERSION } from "../../../src/server/analysis/version.ts";
import type { Db } from "../../../src/server/db/schema.ts";
import { findKeysWithChunks, moveChunks } from "../../../src/server/positions/block-queries.ts";
import { startDemo } from "../../cli/demo.ts";
import type { TestService } from "../../harness.ts";
import { sendTelemetry } from "../telemetry-helpers.ts";
import { handMadeSessions } from "./hand-made-sessions.ts";

const FIXTURE = join(import.meta.dirname, "..", "..", "fixtures", "derived-values.json");

const MIN_CHUNKS = 4;

interface DerivedValue {
  /** The versions that a change needs one of. */
  readonly versions: Readonly<Record<string, number>>;
  read(db: Db): Promise<readonly unknown[]>;
}

const analysis = { versions: { ANALYSIS_VERSION } };
/** No version computes them again, because they are computed when events arrive. */
const arrival = { versions: {} };
const toHex = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes).toString("hex");
/** Summaries also change with what they summarize. */
const summaries = { versions: { SUMMARY_VERSION, ANALYSIS_VERSION } };

const kinds: Readonly<Record<string, DerivedValue>> = {
  durations: {
    ...analysis,
    read: (db) =>
      db
        .selectFrom("sessions")
        .select(["id", "wall_ms", "active_ms", "clock_jumps", "jump_ms"])
        .orderBy("id")
        .execute(),
  },
  outcomes: {
    ...analysis,
    read: (db) =>
      db.selectFrom("sessions").select(["id", "status", "crashed", "last_room"]).orderBy("id").execute(),
  },
  performance: {
    ...analysis,
    read: (db) => db.selectFrom("sessions").select(["id", "performance"]).orderBy("id").execute(),
  },
  // Without their words, which may change within a version.
  insights: {
    ...analysis,
    read: (db) =>
      db
        .selectFrom("insights")
        .select(["id", "session_id", "type", "sentiment", "confidence", "tag", "claims", "after_ms"])
        .orderBy("id")
        .execute(),
  },
  "times in rooms": {
    ...analysis,
    read: (db) => db.selectFrom("room_times").selectAll().orderBy("session_id").orderBy("room").execute(),
  },
  "usual times in rooms": {
    ...analysis,
    read: (db) =>
      db
        .selectFrom("room_references")
        .selectAll()
        .orderBy("game_id")
        .orderBy("environment")
        .orderBy("room")
        .execute(),
  },
  "crash reports": {
    ...analysis,
    read: (db) =>
      db.selectFrom("crash_reports").selectAll().orderBy("session_id").orderBy("event_id").execute(),
  },
  "event counters": {
    ...arrival,
    read: (db) =>
      db
        .selectFrom("event_rollups")
        .selectAll()
        .orderBy("game_id")
        .orderBy("build")
        .orderBy("environment")
        .orderBy("day")
        .orderBy("name")
        .execute(),
  },
  "blocks of event counters": {
    ...arrival,
    async read(db) {
      const rows = await db
        .selectFrom("event_count_blocks")
        .selectAll()
        .orderBy("game_id")
        .orderBy("block")
        .orderBy("build")
        .orderBy("environment")
        .execute();
      return rows.map((row) => ({ ...row, counts: toHex(row.counts) }));
    },
  },
  "blocks of positions": {
    ...arrival,
    async read(db) {
      const rows = await db
        .selectFrom("position_blocks")
        .selectAll()
        .orderBy("game_id")
        .orderBy("event")
        .orderBy("source")
        .orderBy("room")
        .orderBy("build")
        .orderBy("environment")
        .orderBy("player")
        .execute();
      // The number of a block depends on the order in which the keys were found.
      return rows.map(({ id: _, ...row }) => ({ ...row, xy: toHex(row.xy), z: toHex(row.z) }));
    },
  },
  "summaries of builds": {
    ...summaries,
    read: (db) =>
      db
        .selectFrom("build_summaries")
        .select(["game_id", "build", "environment", "narrative"])
        .orderBy("game_id")
        .orderBy("build")
        .orderBy("environment")
        .execute(),
  },
  "summaries of testers": {
    ...summaries,
    read: (db) =>
      db
        .selectFrom("tester_summaries")
        .select(["game_id", "device_id", "environment", "narrative"])
        .orderBy("game_id")
        .orderBy("device_id")
        .orderBy("environment")
        .execute(),
  },
};

/** The versions and the hash of each kind, as they were when the fixture was written. */
type Fixture = Record<string, Pick<DerivedValue, "versions"> & { readonly hash: string }>;
const readFixture = () => JSON.parse(readFileSync(FIXTURE, "utf8")) as Fixture;

let service: TestService;

beforeAll(async () => {
  service = await startDemo("studio");
  await service.addGame("maze");
  for (const body of handMadeSessions) await sendTelemetry(service, body);
  await service.analysis.drain();
  await service.summaries.writeAll();
  const { store } = service.service;
  // Fewer chunks than the compaction waits for.
  for (const key of await findKeysWithChunks(store.readDb, MIN_CHUNKS))
    await store.write((db) => moveChunks(db, key, MIN_CHUNKS));
  await service.eventCompaction.drain();
});
afterAll(() => service.stop());

const hash = (rows: readonly unknown[]) =>
  createHash("sha256").update(JSON.stringify(rows)).digest("hex").slice(0, 16);

/** Says what to do about a value that differs from the fixture; null if it does not. */
function describeChange(name: string, value: string, { versions }: DerivedValue): string | null {
  const stored = readFixture()[name];
  const constants = Object.keys(versions).join(" or ");
  if (JSON.stringify(stored?.versions) === JSON.stringify(versions))
    return stored?.hash === value
      ? null
      : constants === ""
        ? `The ${name} changed: add a migration that changes the stored ones too, and remove them from the fixture`
        : `The ${name} changed, but not their version: raise ${constants} in src/server/analysis/version.ts`;
  if (process.env.PLAYTEST_RENEW_GOLDEN === undefined)
    return `${constants || "A kind"} was ${constants === "" ? "added" : "raised"}: run this test with PLAYTEST_RENEW_GOLDEN=1`;
  const renewed = { ...readFixture(), [name]: { versions, hash: value } };
  writeFileSync(FIXTURE, `${JSON.stringify(renewed, null, 2)}\n`);
  return null;
}

it.each(Object.entries(kinds))("changes the %s only with their version", async (name, kind) => {
  const rows = await kind.read(service.service.store.readDb);
  // A hash of nothing would never change.
  expect(rows.length).toBeGreaterThan(0);
  expect(describeChange(name, hash(rows), kind)).toBeNull();
});

it("derives something from every hand-made session", async () => {
  const rows = await service.service.store.readDb
    .selectFrom("sessions")
    .innerJoin("games", "games.id", "sessions.game_id")
    .select(["client_session_id", "status", "wall_ms", "clock_jumps", "crashed", "performance"])
    .where("games.slug", "=", "maze")
    .execute();
  const byName = new Map(rows.map((row) => [row.client_session_id, row]));
  expect(rows.filter(({ status, wall_ms }) => status !== "analyzed" || wall_ms === 0)).toEqual([]);
  expect(byName.get("clock set forward")?.clock_jumps).toBe(1);
  expect(byName.get("clock set back")?.clock_jumps).toBe(1);
  expect(byName.get("reported times")?.crashed).toBe(1);
  expect(byName.get("performance")?.performance).not.toBeNull();
});
