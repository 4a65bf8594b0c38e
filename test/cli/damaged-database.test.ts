/** Recovery from a damaged database file: server check, server export --skip-damaged, and doctor. */
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { registerServer } from "../../src/cli/commands/server/registry.ts";
import { fail } from "../../src/cli/errors.ts";
import { openStore } from "../../src/server/db/open.ts";
import { releaseDatabases } from "../collect-garbage.ts";
import { findPages, findRootPage, overwritePages } from "../damage-file.ts";
import { BASE_URL, freshFolder, NOW, runCli, startTestService, type TestService } from "../harness.ts";

const SESSIONS = 60;

let intact: string;
let continues: TestService;
let home: string;
let cwd: string;

beforeAll(async () => {
  const folder = freshFolder();
  intact = join(folder, "studio.db");
  const service = await startTestService({ database: intact });
  await service.addGame("maze");
  for (let n = 0; n < SESSIONS; n += 1) {
    const events = Array.from({ length: 300 }, (_, at) => ({
      id: `e${n}-${at}`,
      name: at % 3 === 0 ? "player_pos" : `step-${at % 7}`,
      timestamp: NOW - 600_000 + at * 1000,
      data: { x: Math.sin(at * n), y: Math.cos(at + n), room: "hall" },
    }));
    const body = { gameId: "maze", clientSessionId: `s${n}`, deviceId: `d${n}`, sessionEnded: true, events };
    expect((await service.post("/api/telemetry", body)).status).toBe(202);
  }
  await service.analysis.drain();
  await service.stop();
  continues = service;
});

beforeEach(async () => {
  [home, cwd] = [freshFolder(), freshFolder()];
  copyFileSync(intact, join(cwd, "studio.db"));
});

const inCwd = (name: string) => join(cwd, name);
const server = async (...argv: string[]) => {
  await releaseDatabases();
  return await runCli(["server", ...argv], { home, cwd });
};
const check = (...argv: string[]) => server("check", "--database", "studio.db", ...argv);

/** Damages the root page of a table or index, or a page in the middle of it. */
async function damage(name: string, where: "root" | "middle" = "root"): Promise<void> {
  const file = inCwd("studio.db");
  const pages = where === "root" ? [await findRootPage(file, name)] : await findPages(file, name);
  await releaseDatabases();
  overwritePages(file, pages[Math.floor(pages.length / 2)] ?? 0);
}

async function count(database: string, table: "sessions" | "insights" | "event_batches"): Promise<number> {
  const store = await openStore({ database: inCwd(database) });
  const row = await store.readDb
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<number>().as("rows"))
    .executeTakeFirstOrThrow();
  await store.close();
  return Number(row.rows);
}

describe("server check", () => {
  test("finds nothing in an intact database", async () => {
    const run = await check();
    expect([run.code, run.err]).toEqual([0, ""]);
    expect(run.out).toMatch(/^No damage found in \d+ tables of \S+studio\.db\.\n$/);
  });

  test("names a table with damaged rows, and how to recover", async () => {
    await damage("event_batches", "middle");
    const before = readFileSync(inCwd("studio.db"));
    const run = await check();
    expect(run.code).toBe(10);
    expect(run.out).toMatch(/^TABLE +ROWS +DAMAGED INDEXES\n.*\nevent_batches +damaged/);
    expect(run.err).toContain("studio.db is damaged: rows of the table event_batches");
    expect(run.err).toMatch(/`playtest server restore <backup> --database .*server export --skip-damaged/);
    expect(readFileSync(inCwd("studio.db")).equals(before)).toBe(true);
  });

  test("names a damaged index, and --reindex writes it again", async () => {
    await damage("sessions_by_device");
    const run = await check("--json");
    expect([run.code, JSON.parse(run.out).damaged]).toEqual([
      10,
      [{ table: "sessions", hasDamagedRows: false, indexes: ["sessions_by_device"] }],
    ]);
    expect(run.err).toContain("server check --reindex");
    const repaired = await check("--reindex");
    expect([repaired.code, repaired.err]).toEqual([0, ""]);
    expect(repaired.out).toContain("Wrote the indexes again: sessions_by_device.");
    expect(repaired.out).toContain("studio.db.before-reindex-20260301T120000000Z");
    expect((await check()).code).toBe(0);
    expect(await count("studio.db", "sessions")).toBe(SESSIONS);
  });

  test("finds an index with another value than the row", async () => {
    const [page = 0] = await findPages(inCwd("studio.db"), "sessions_by_device");
    await releaseDatabases();
    const content = readFileSync(inCwd("studio.db"));
    // A page ends with its oldest entry, and an entry with the id of its row.
    content[page * 4096 - 1] = (content[page * 4096 - 1] ?? 0) ^ 1;
    writeFileSync(inCwd("studio.db"), content);
    const run = await check("--json");
    expect(JSON.parse(run.out).damaged).toEqual([
      { table: "sessions", hasDamagedRows: false, indexes: ["sessions_by_device"] },
    ]);
  });

  test("reindexes nothing while rows are damaged", async () => {
    await damage("sessions_by_device");
    await damage("insights", "middle");
    const before = readFileSync(inCwd("studio.db"));
    expect((await check("--reindex")).code).toBe(10);
    expect(readFileSync(inCwd("studio.db")).equals(before)).toBe(true);
  });

  test("refuses a file that is not a database", async () => {
    writeFileSync(inCwd("studio.db"), "notes");
    const run = await check();
    expect([run.code, run.err]).toEqual([3, expect.stringContaining("not a playtest database")]);
  });
});

describe("server export --skip-damaged", () => {
  const exportReadable = () =>
    server("export", "saved.gz", "--skip-damaged", "--database", "studio.db", "--json");

  test("exports an intact database completely", async () => {
    const run = await exportReadable();
    expect([run.code, run.err]).toEqual([0, ""]);
    const whole = await server("export", "whole.gz", "--database", "studio.db", "--json");
    const { tables, skipped } = JSON.parse(run.out);
    expect([tables, skipped]).toEqual([JSON.parse(whole.out).tables, []]);
  });

  test.each([
    ["insights", "middle"],
    ["sessions", "middle"],
    ["event_batches", "middle"],
    ["event_batches", "root"],
    ["sessions_by_device", "root"],
  ] as const)(
    "leaves out what cannot be read of %s (%s), and the archive can be imported",
    async (name, where) => {
      await damage(name, where);
      const plain = await server("export", "plain.gz", "--database", "studio.db");
      const run = await exportReadable();
      const { skipped, sessionsWithoutEvents } = JSON.parse(run.out);
      if (name === "sessions_by_device") expect([run.code, skipped]).toEqual([0, []]);
      else {
        expect([plain.code, run.code]).toEqual([3, 12]);
        expect(run.err).toContain("`playtest server import <archive> --database <new file>`");
        expect(run.err).toMatch(/Skipped rows: .*\d+ of \w+|Sessions that lost their events: \d+/);
        expect(skipped.length + sessionsWithoutEvents).toBeGreaterThan(0);
      }
      const imported = await server("import", "saved.gz", "--database", "new.db");
      expect([imported.code, imported.err.replace(/^Created.*\n/, "")]).toEqual([0, ""]);
      const lost = (table: string): number =>
        skipped.find((entry: { table: string }) => entry.table === table)?.rows ?? 0;
      expect(await count("new.db", "sessions")).toBe(SESSIONS - lost("sessions"));
      expect(lost("sessions")).toBeLessThan(SESSIONS);
      expect(readdirSync(cwd).filter((file) => file.includes("salvage"))).toEqual([]);
    },
  );

  test("cannot read a database without its schema", async () => {
    overwritePages(inCwd("studio.db"), 2, 30);
    const content = readFileSync(inCwd("studio.db"));
    content.fill(0x5a, 100, 4096);
    writeFileSync(inCwd("studio.db"), content);
    const run = await exportReadable();
    expect([run.code, run.err]).toEqual([
      3,
      expect.stringContaining("`playtest server restore <backup> --database"),
    ]);
    expect(existsSync(inCwd("saved.gz"))).toBe(false);
  });
});

test("a server with a damaged database starts, and creates no game", async () => {
  await damage("event_batches", "middle");
  await releaseDatabases();
  const controller = new AbortController();
  const argv = ["server", "start", "--port", "0", "--create-game", "reef", "--database", "studio.db"];
  const run = await runCli(argv, {
    ...{ home, cwd, signal: controller.signal },
    onOut: () => controller.abort(fail("terminated")),
  });
  expect(run.err).toMatch(
    /is damaged \(.*\)\. Nothing is stored anymore\. Run `playtest server check --database studio\.db` to see what is damaged and how to recover\./,
  );
  expect(run.err).not.toContain("overloaded");
  expect(run.out).toContain("http://127.0.0.1:");
});

test("doctor names what is damaged in the database of a server on this machine", async () => {
  await damage("insights", "middle");
  const database = inCwd("studio.db");
  const service = await startTestService({ database, continues });
  const io = { stateDir: join(home, "state"), pid: process.pid, isAlive: () => true };
  const entry = { pid: process.pid, url: BASE_URL, database, startedAt: NOW };
  const unregister = await registerServer(io, entry);
  const run = await runCli(["doctor", "--json"], { home, cwd, service });
  await unregister();
  await service.stop();
  const check = JSON.parse(run.out).checks.find(({ name }: { name: string }) => name === "database");
  expect([run.code, check.status, check.found]).toEqual([
    10,
    "fail",
    `${database} is damaged: rows of the table insights`,
  ]);
  expect(check.hint).toContain("playtest server check");
});
