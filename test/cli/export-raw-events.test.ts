/** export raw-events: every stored event once, in the order of arrival. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DAY, queryDuckDb, readFiles } from "../export/export-fixtures.ts";
import {
  createAppTransport,
  freshFolder,
  NOW,
  runCli,
  startTestService,
  type TestService,
} from "../harness.ts";
import { createEvents, sendTelemetry } from "../server/telemetry-helpers.ts";

let service: TestService;
const ARRIVALS = [-3, -3, -1, 0];

beforeAll(async () => {
  service = await startTestService();
  await service.addGame("ember");
  await service.addGame("tide");
  for (const [index, days] of ARRIVALS.entries()) await arrive(service, `s${index}`, NOW + days * DAY);
});
afterAll(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

/** Sends a session that a game stored ten days before it arrives. */
async function arrive(target: TestService, session: string, at: number, environment = "production") {
  target.clock.now = at;
  await sendTelemetry(target, {
    ...{ gameId: "ember", clientSessionId: session, deviceId: "d1", environment },
    sessionMetadata: { gameVersion: "=1.0" },
    events: [
      { id: "p", name: "player_pos", timestamp: at - 10 * DAY, data: { x: 1.5, y: -2.5, room: "dock" } },
      ...createEvents(["jump", "death"], at - 10 * DAY),
    ],
  });
}

async function runExport(line: string, cwd = freshFolder(), source = service) {
  const clock = { now: source.clock.now };
  return await runCli(["export", "raw-events", ...line.split(" ")], { service: source, cwd, clock });
}
const listDays = (cwd: string) => readdirSync(join(cwd, "x/raw-events/game=ember"));

describe("export raw-events", () => {
  test.each([
    ["ndjson", "read_ndjson"],
    ["csv", "read_csv"],
    ["parquet", "read_parquet"],
  ])("writes the same rows as %s", async (format, read) => {
    const cwd = freshFolder();
    const run = await runExport(`-g ember --out x.${format}`, cwd);
    expect([run.code, run.err.includes("error")]).toEqual([0, false]);
    const file = `${read}('${join(cwd, `x.${format}`)}')`;
    const [row] = await queryDuckDb(
      `SELECT count(*)::INT AS n, count(DISTINCT "sessionId" || id)::INT AS keys, count(x)::INT AS positions,
         min(x) AS x, min(y) AS y, min(room) AS room, count(data)::INT AS data, min(game) AS game FROM ${file}`,
    );
    expect(row).toEqual({
      ...{ n: 12, keys: 12, positions: 4, x: 1.5, y: -2.5, room: "dock", data: 4, game: "ember" },
    });
  });

  test("has the documented columns", async () => {
    const { out } = await runExport("-g ember");
    const rows = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(rows[0]).toEqual({
      ...{ id: "p", event: "player_pos", timestamp: NOW - 13 * DAY, sessionId: expect.any(String) },
      ...{ deviceId: "d1", testerHandle: null, build: "=1.0", environment: "production" },
      ...{ source: "typescript-telemetry", room: "dock", x: 1.5, y: -2.5 },
      ...{ data: { x: 1.5, y: -2.5, room: "dock" }, receivedAt: NOW - 3 * DAY, game: "ember" },
    });
    expect(Object.keys(rows[0]).join(" ")).toBe(
      "id event timestamp sessionId deviceId testerHandle build environment source room x y data receivedAt game",
    );
  });

  test("is split by arrival, and --from and --to select by arrival", async () => {
    const cwd = freshFolder();
    const run = await runExport("--all-games --out x --format ndjson", cwd);
    expect(run.code).toBe(0);
    expect(listDays(cwd)).toEqual(["day=2026-02-26", "day=2026-02-28", "day=2026-03-01"]);
    const counts = listDays(cwd).map(
      (name) =>
        readFileSync(join(cwd, "x/raw-events/game=ember", name, "data.ndjson"), "utf8")
          .trim()
          .split("\n").length,
    );
    expect(counts).toEqual([6, 3, 3]);
    const { out } = await runExport(`-g ember --from ${NOW - DAY} --to ${NOW - DAY}`);
    expect(out.trim().split("\n")).toHaveLength(3);
  });

  test("selects one or several environments", async () => {
    const own = await startTestService();
    await own.addGame("ember");
    for (const env of ["production", "staging", "qa"]) await arrive(own, env, NOW, env);
    const count = async (flags: string) =>
      (await runExport(`-g ember ${flags}`, undefined, own)).out.split("\n");
    expect(await count("--env staging")).toHaveLength(4);
    expect(await count("--env staging --env qa")).toHaveLength(7);
    await own.stop();
  });

  test("--since-last reads only what arrived since, including an event that was recorded earlier", async () => {
    const own = await startTestService();
    await own.addGame("ember");
    await arrive(own, "one", NOW - 2 * DAY);
    own.clock.now = NOW;
    const cwd = freshFolder();
    await runExport("-g ember --out x --since-last", cwd, own);
    const [first = ""] = listDays(cwd);
    const before = readFiles(join(cwd, "x"));
    await arrive(own, "two", NOW + DAY);
    own.clock.now = NOW + 2 * DAY;
    const run = await runExport("-g ember --out x --since-last --json", cwd, own);
    expect(JSON.parse(run.out).series).toMatchObject([{ rows: 3, files: 1 }]);
    const after = readFiles(join(cwd, "x"));
    const file = `raw-events/game=ember/${first}/data.parquet`;
    expect(before[file]).toEqual(expect.any(String));
    expect(after[file]).toEqual(before[file]);
    const fresh = freshFolder();
    await runExport("-g ember --out x", fresh, own);
    expect(after).toEqual(readFiles(join(fresh, "x")));
    await own.stop();
  });

  test("keeps a day open until its last transactions have ended", async () => {
    const own = await startTestService();
    await own.addGame("ember");
    const midnight = Math.ceil(NOW / DAY) * DAY;
    await arrive(own, "one", midnight - 1);
    own.clock.now = midnight + 30_000;
    const cwd = freshFolder();
    const first = await runExport("-g ember --out x --since-last --json", cwd, own);
    expect(JSON.parse(first.out).series).toMatchObject([{ rows: 3, open: 1 }]);
    own.clock.now = midnight + 60_000;
    const second = await runExport("-g ember --out x --since-last --json", cwd, own);
    expect(JSON.parse(second.out).series).toMatchObject([{ rows: 3, open: 0 }]);
    await own.stop();
  });

  test("reports events that cannot be read, and exports the others", async () => {
    const own = await startTestService();
    await own.addGame("ember");
    await arrive(own, "one", NOW - DAY);
    await arrive(own, "two", NOW);
    const payload = Buffer.from("05ffffffffff", "hex");
    const { writeDb } = own.service.store;
    await writeDb.updateTable("event_batches").set({ payload }).where("received_at", "<", NOW).execute();
    const run = await runExport("-g ember --out x.ndjson", undefined, own);
    expect(run.code).toBe(0);
    expect(run.err).toContain("3 events of ember cannot be read, because the stored data is damaged.");
    expect(run.err).toContain("raw-events of ember: 3 rows");
    await own.stop();
  });

  test("ends with exit code 54 if the service has no such endpoint", async () => {
    const inner = createAppTransport(service.app);
    const transport: typeof inner = async (request) =>
      request.url.includes("/raw-events/")
        ? { status: 404, headers: {}, body: '{"error":"Not found"}' }
        : await inner(request);
    const run = await runCli(["export", "raw-events", "-g", "ember"], { service, transport });
    expect([run.code, run.err]).toEqual([
      54,
      expect.stringContaining("does not offer GET /api/v1/raw-events/{game}"),
    ]);
  });
});
