/** Tests of server recount: what it prints, corrects and records. */
import { beforeEach, expect, test } from "vitest";
import { freshFolder, NOW, openTestStore, runCli } from "../harness.ts";
import { body, events, record } from "./telemetry-files.ts";

let home: string;
let cwd: string;
beforeEach(() => {
  [home, cwd] = [freshFolder(), freshFolder()];
});

const run = (...argv: string[]) => runCli(argv, { home, cwd });
const recount = (...more: string[]) => run("server", "recount", "--database", "studio.db", ...more);

/** Creates a database with a session that a server of an earlier version has stored. */
async function uncounted(): Promise<void> {
  record(cwd, "play.ndjson", [body("a", events(3), { startedAt: NOW - 3_600_000, sessionEnded: true })]);
  const imported = await run("server", "import", "play.ndjson", "--create-games", "--database", "studio.db");
  expect(imported.code).toBe(0);
  await emptyCounters();
}

/** The recounts in the audit. */
async function listRecounts(): Promise<unknown[]> {
  const filter = ["--database", "studio.db", "--action", "server.recount"];
  const audit = await run("admin", "audit", "list", ...filter, "--json");
  return JSON.parse(audit.out).items;
}

async function emptyCounters(): Promise<void> {
  const store = await openTestStore(`${cwd}/studio.db`);
  for (const table of ["build_testers", "build_counts", "build_durations"] as const)
    await store.writeDb.deleteFrom(table).execute();
  await store.close();
}

test("says that there is nothing to count in a database without sessions", async () => {
  await (await openTestStore(`${cwd}/studio.db`)).close();
  const found = await recount();
  expect([found.code, found.out, found.err]).toEqual([0, "", "No build has sessions yet.\n"]);
});

test("shows wrong counters, corrects them, and records that in the audit", async () => {
  await uncounted();
  const wrong = { testers: 1, counters: expect.any(Number) };
  for (let n = 0; n < 2; n += 1) {
    const dry = await recount("--dry-run", "--json");
    expect(dry.code).toBe(0);
    expect(JSON.parse(dry.out)).toMatchObject({ dryRun: true, builds: 1, corrected: [wrong] });
  }
  const corrected = await recount();
  expect(corrected.code).toBe(0);
  expect(corrected.out).toMatch(/GAME +BUILD +WRONG TESTERS +OTHER WRONG COUNTERS/);
  expect(corrected.err).toContain("Corrected the counters of 1 of 1 build.\n");
  const again = await recount();
  expect([again.code, again.err]).toEqual([0, "The counters of 1 build are correct.\n"]);
  expect(await listRecounts()).toMatchObject([{ actor: "operator", detail: { builds: 1, testers: 1 } }]);
});

test("records what it has corrected before it fails", async () => {
  const inBuild = (name: string, gameVersion: string) =>
    body(name, events(3), { startedAt: NOW - 3_600_000, sessionMetadata: { gameVersion } });
  record(cwd, "play.ndjson", [inBuild("a", "1.0"), inBuild("b", "1.1")]);
  await run("server", "import", "play.ndjson", "--create-games", "--database", "studio.db");
  const store = await openTestStore(`${cwd}/studio.db`);
  await store.writeDb.deleteFrom("build_testers").where("build", "=", "1.0").execute();
  await store.writeDb.updateTable("build_testers").set({ facts: "[" }).where("build", "=", "1.1").execute();
  await store.close();
  expect((await recount()).code).not.toBe(0);
  expect(await listRecounts()).toMatchObject([{ detail: { builds: 1, testers: 1 } }]);
});

test("fails for a database that does not exist", async () => {
  const failed = await recount();
  expect([failed.code, failed.err]).toEqual([3, expect.stringContaining("studio.db")]);
});
