/** Tests of server prune: what it removes and prints, its confirmation, and the space that it returns. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { openStore } from "../../src/server/db/open.ts";
import { updatePruningState } from "../../src/server/pruning/state-queries.ts";
import { type CliOptions, engine, freshFolder, NOW, openTestStore, runCli } from "../harness.ts";
import { body, events, record } from "./telemetry-files.ts";

let home: string;
let cwd: string;
beforeEach(() => {
  [home, cwd] = [freshFolder(), freshFolder()];
});

async function server(argv: readonly string[], options: CliOptions = {}) {
  return await runCli(["server", ...argv], { home, cwd, ...options });
}

const prune = (...more: string[]) => server(["prune", "--database", "studio.db", ...more]);

/** Creates a database with an ended session of 3 events. */
async function furnished(): Promise<void> {
  record(cwd, "play.ndjson", [body("a", events(3), { startedAt: NOW - 3_600_000, sessionEnded: true })]);
  const run = await server(["import", "play.ndjson", "--create-games", "--database", "studio.db"]);
  expect(run.code).toBe(0);
}

describe("server prune", () => {
  test("says that nothing would be removed without a policy, even without a database", async () => {
    const run = await server(["prune"]);
    expect([run.code, run.out]).toEqual([
      0,
      "No policy is set, so nothing would be removed. Set --keep-events or --keep-sessions.\n",
    ]);
  });

  test("shows what it would remove, and removes nothing", async () => {
    await furnished();
    for (let n = 0; n < 2; n += 1) {
      const run = await prune("--keep-events", "0", "--dry-run", "--json");
      expect(run.code).toBe(0);
      expect(JSON.parse(run.out)).toMatchObject({
        database: join(cwd, "studio.db"),
        dryRun: true,
        keepEventsMs: 0,
        keepSessionsMs: null,
        pruned: { sessions: 1, events: 3 },
        deletedSessions: 0,
        waiting: 0,
      });
    }
  });

  test("requires --yes without a terminal", async () => {
    await furnished();
    const run = await prune("--keep-events", "0");
    expect([run.code, run.err]).toEqual([2, expect.stringContaining("Add --yes")]);
    expect(JSON.parse((await prune("--keep-events", "0", "--dry-run", "--json")).out).pruned.events).toBe(3);
  });

  test("removes events, and then has nothing to remove", async () => {
    await furnished();
    const run = await prune("--keep-events", "0", "--yes");
    expect([run.code, run.out]).toEqual([0, "Removed 3 events of 1 session (0.0 MB).\n"]);
    expect((await prune("--keep-events", "0", "--yes")).out).toBe("Nothing to remove.\n");
  });

  test("deletes sessions", async () => {
    await furnished();
    const flags = ["--keep-sessions", "0", "--keep-events", "0"];
    expect((await prune(...flags, "--dry-run")).out).toBe("Would remove 1 complete session.\n");
    expect((await prune(...flags, "--yes")).out).toBe("Removed 1 complete session.\n");
    expect((await prune(...flags, "--yes")).out).toBe("Nothing to remove.\n");
  });

  test("keeps newer data", async () => {
    await furnished();
    const run = await prune("--keep-events", "520w", "--keep-sessions", "520w", "--yes");
    expect([run.code, run.out]).toEqual([0, "Nothing to remove.\n"]);
  });

  test("fails for a database that does not exist", async () => {
    const run = await prune("--keep-events", "1d", "--yes");
    expect(run.code).toBe(3);
    if (engine === "sqlite") {
      expect(run.err).toContain("not found");
      expect(readdirSync(cwd)).toEqual([]);
    }
  });

  test("fails while another process prunes", async () => {
    await furnished();
    const store = await openStore({ database: join(cwd, "studio.db") });
    await prune("--keep-events", "520w", "--yes");
    await store.writeDb
      .insertInto("retention_state")
      .values({
        ...{ id: 1, holder: "other", turn: 0, keep_events_ms: null, keep_sessions_ms: null },
        ...{ game_id: null, session_id: null, last_pruned_at: null },
        ...{ pruned_sessions: 0, pruned_events: 0, deleted_sessions: 0 },
      })
      .execute();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    let isRunning = true;
    const pruning = prune("--keep-events", "0", "--yes", "--json").finally(() => {
      isRunning = false;
    });
    // The other process takes a step each second, until the command no longer waits for one.
    for (let turn = 1; isRunning; turn += 1) {
      await store.write((db) => updatePruningState(db, { holder: "other", turn }));
      await vi.advanceTimersByTimeAsync(1000);
      await nextTurn();
    }
    const run = await pruning;
    await store.close();
    expect(JSON.parse(run.err.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
      error: { code: "locked", message: `Another process is pruning ${join(cwd, "studio.db")}` },
    });
  });
});

describe.runIf(engine === "sqlite")("the file of a database", () => {
  /** Fills a database with events whose data cannot be compressed away. */
  async function fill(file: string): Promise<void> {
    await furnished();
    const store = await openTestStore(file);
    const { payload, ...batch } = await store.readDb
      .selectFrom("event_batches")
      .selectAll()
      .executeTakeFirstOrThrow();
    expect(payload.length).toBeGreaterThan(0);
    await store.write(async (db) => {
      for (let seq = 1; seq <= 40; seq += 1)
        await db
          .insertInto("event_batches")
          .values({ ...batch, seq, payload: new Uint8Array(200_000) })
          .execute();
    });
    await store.close();
  }

  test("shrinks", async () => {
    const file = join(cwd, "studio.db");
    await fill(file);
    const before = statSync(file).size;
    await prune("--keep-events", "0", "--yes");
    expect(statSync(file).size).toBeLessThan(before / 3);
  });
});
