/** export --since-last: what arrives late, changes, is deleted or damaged is exported again, and nothing twice. */
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { EXTENSIONS_HEADER } from "../../src/contract/announcement.ts";
import { deleteSession } from "../../src/server/erasure/delete-session.ts";
import { createForm } from "../../src/server/feedback/forms.ts";
import { DAY_MS, HOUR_MS } from "../../src/shared/time-units.ts";
import { queryDuckDb, readFiles } from "../export/export-fixtures.ts";
import {
  type CliOptions,
  createAppTransport,
  freshFolder,
  NOW,
  runCli,
  startTestService,
  type TestService,
} from "../harness.ts";
import { createEvents, readSessionRow, sendTelemetry } from "../server/telemetry-helpers.ts";

let service: TestService;
let formId: string;
let cwd: string;
let sessions: string[];

/** Starts a service with a session on each of six days. */
async function startWithSessions(): Promise<void> {
  service = await startTestService({ clock: { now: NOW } });
  cwd = freshFolder();
  const gameId = await service.addGame("ember");
  const field = { id: "fun", label: "Was it fun?", kind: "rating-1-5" as const, required: true };
  const form = { name: "End", fields: [field], triggerHint: "session_end" as const, active: true };
  formId = (await createForm(service.service.store.writeDb, service.service, gameId, form)).id;
  sessions = [];
  for (let daysAgo = 5; daysAgo >= 0; daysAgo -= 1) sessions.push(await play(NOW - daysAgo * DAY_MS));
  await service.analysis.drain();
  service.clock.now += 3 * HOUR_MS;
}

/** Sends an ended session with enough failures for an insight. */
async function play(startedAt: number): Promise<string> {
  return await sendTelemetry(service, {
    gameId: "ember",
    startedAt,
    deviceId: `d${startedAt}`,
    sessionMetadata: { gameVersion: "0.9.0", platform: "linux" },
    events: createEvents([...Array<string>(9).fill("death"), "jump"], startedAt),
    sessionEnded: true,
  });
}

async function answer(sessionId: string | undefined): Promise<void> {
  const responses = [{ fieldId: "fun", value: "1" }];
  const body = { requestId: `r-${sessionId}`, formId, sessionId, responses };
  expect((await service.post("/api/telemetry/feedback", body)).status).toBeLessThan(300);
  await service.analysis.drain();
}

const LINE = "export events sessions insights feedback -g ember --out x";
const run = async (line: string, folder = cwd, options: Partial<CliOptions> = {}) =>
  await runCli(line.split(" "), { service, cwd: folder, clock: { now: service.clock.now }, ...options });

/** Runs --since-last some hours or days after the previous run, and returns the number of files it wrote. */
async function exportNext(options: Partial<CliOptions> = {}, flags = ""): Promise<number> {
  service.clock.now += 3 * HOUR_MS;
  const result = await run(`${LINE} --since-last --json${flags}`, cwd, options);
  expect([result.code, result.err]).toEqual([0, expect.any(String)]);
  const { series } = JSON.parse(result.out);
  return series.reduce((sum: number, { files }: { files: number }) => sum + files, 0);
}

/** The files of an export without --since-last, to compare with. */
async function exportFresh(): Promise<Record<string, string>> {
  const folder = freshFolder();
  expect((await run(LINE, folder)).code).toBe(0);
  return readFiles(join(folder, "x"));
}

const count = async (dataset: string, select = "count(*), count(DISTINCT id)") => {
  const [row] = await queryDuckDb(`SELECT ${select} FROM '${cwd}/x/${dataset}/*/*/*.parquet'`);
  return Object.values(row ?? {}).map(Number);
};
const countApi = async (list: string) => (await service.get(`/api/v1/${list}?limit=1`)).json.total as number;

describe("--since-last", () => {
  beforeEach(startWithSessions);
  afterEach(async () => await service.stop());

  test("writes nothing again but the open period if nothing has changed", async () => {
    expect(await exportNext()).toBe(18);
    expect(await exportNext()).toBe(3);
    service.clock.now += 5 * DAY_MS;
    // The period that was open is closed, and the current one has no rows.
    expect(await exportNext()).toBe(3);
    expect(readFiles(join(cwd, "x"))).toEqual(await exportFresh());
  });

  test("reads periods again together, with about the planned requests", async () => {
    expect((await run(`${LINE} --since-last`, cwd)).code).toBe(0);
    const expected = readFiles(join(cwd, "x"));
    for (const dataset of ["events", "sessions", "insights"])
      rmSync(join(cwd, "x", dataset), { recursive: true });
    const plan = JSON.parse((await run(`${LINE} --since-last --dry-run --json`, cwd)).out);
    const report = JSON.parse((await run(`${LINE} --since-last --json`, cwd)).out);
    const files = report.series.reduce((sum: number, one: { files: number }) => sum + one.files, 0);
    expect(files).toBeGreaterThan(15);
    expect(report.requests).toBeLessThan(1.5 * files);
    expect(plan.requests).toBeLessThan(report.requests);
    expect(plan.requests).toBeGreaterThan(report.requests / 4);
    expect(readFiles(join(cwd, "x"))).toEqual(expected);
  });

  test("counts insights once that a later analysis has replaced", async () => {
    await exportNext();
    service.clock.now += 20 * DAY_MS;
    await answer(sessions[1]);
    await answer(sessions[3]);
    await exportNext();
    const total = await countApi("insights");
    expect(await count("insights")).toEqual([total, total]);
    expect(await count("feedback")).toEqual([2, 2]);
    expect(readFiles(join(cwd, "x"))).toEqual(await exportFresh());
  });

  test("exports what arrives late, and removes what was deleted", async () => {
    await answer(sessions[0]);
    await exportNext();
    service.clock.now += 20 * DAY_MS;
    await play(NOW - 300 * DAY_MS);
    const row = await readSessionRow(service, sessions[0] ?? "");
    await deleteSession(service.service, service.accountId, row);
    await service.analysis.drain();
    await exportNext();
    const total = await countApi("sessions");
    expect(await count("sessions")).toEqual([total, total]);
    expect(readFiles(join(cwd, "x"))).toEqual(await exportFresh());
    expect(Object.keys(readFiles(join(cwd, "x"))).filter((name) => name.startsWith("feedback"))).toEqual([]);
  });

  test("finds changes after the clock of the service was set back", async () => {
    await exportNext();
    const { now } = service.clock;
    service.clock.now = now - 12 * HOUR_MS;
    await play(NOW - 100 * DAY_MS);
    await service.analysis.drain();
    service.clock.now = now + DAY_MS;
    await exportNext();
    const total = await countApi("sessions");
    expect(await count("sessions")).toEqual([total, total]);
  });

  test("does not continue the state of an earlier version, and changes nothing", async () => {
    await exportNext();
    const expected = readFiles(join(cwd, "x"));
    const stateFile = join(cwd, "x/_playtest/state.json");
    const state = JSON.parse(readFileSync(stateFile, "utf8"));
    writeFileSync(stateFile, JSON.stringify({ ...state, version: 2 }));
    const refused = await run("export sessions -g ember --out x --since-last");
    expect([refused.code, refused.err]).toEqual([
      3,
      expect.stringContaining("delete it to export everything again"),
    ]);
    expect(readFiles(join(cwd, "x"))).toEqual(expected);
  });

  test("refuses files that are split by another time, and replaces them with --since-last", async () => {
    await exportNext();
    const expected = readFiles(join(cwd, "x"));
    for (const name of Object.keys(expected).filter((path) => path.endsWith(".json"))) {
      const path = join(cwd, "x", name);
      const { query, ...manifest } = JSON.parse(readFileSync(path, "utf8"));
      if (query.time === "recordedAt") query.time = "createdAt";
      writeFileSync(path, JSON.stringify({ ...manifest, query }));
    }
    const bounded = await run("export insights -g ember --out x --from 2d");
    expect([bounded.code, bounded.err]).toEqual([
      3,
      expect.stringContaining("they were split by createdAt, and are now split by recordedAt"),
    ]);
    expect(await exportNext()).toBeGreaterThan(0);
    expect(readFiles(join(cwd, "x"))).toEqual(expected);
  });

  test("goes back by --lookback if the service does not report changes", async () => {
    const send = createAppTransport(service.app);
    const transport: CliOptions["transport"] = async (request) => {
      if (request.url.includes("/changes/")) return { status: 404, headers: {}, body: "{}" };
      const response = await send(request);
      // Another service announces nothing.
      const { [EXTENSIONS_HEADER]: _extensions, ...headers } = response.headers;
      return { ...response, headers };
    };
    const line = (flags: string) =>
      run(`export sessions insights -g ember --out x ${flags}`, cwd, { transport });
    expect((await line("--since-last")).code).toBe(0);
    await play(NOW - 1.5 * DAY_MS);
    await play(NOW - 100 * DAY_MS);
    expect((await line("--since-last")).code).toBe(0);
    expect((await count("sessions"))[0]).toBe(7);
    const manifest = readFileSync(join(cwd, "x/_playtest/insights/game=ember/day=2026-03-01.json"), "utf8");
    expect(JSON.parse(manifest).query.time).toBe("createdAt");
    // A service that reports changes continues with a complete export.
    await exportNext();
    expect(readFiles(join(cwd, "x"))).toEqual(await exportFresh());
  });
});

describe("damaged files", () => {
  const FILE = "x/insights/game=ember/day=2026-02-26/data.parquet";
  const MANIFEST = "x/_playtest/insights/game=ember/day=2026-02-26.json";

  beforeAll(async () => {
    await startWithSessions();
    await exportNext();
    service.clock.now += 3 * DAY_MS;
    await exportNext();
  });
  afterAll(async () => await service.stop());

  test.each([
    ["deleted", (file: string) => rmSync(file)],
    [
      "deleted with its manifest",
      (file: string, manifest: string) => {
        rmSync(file);
        rmSync(manifest);
      },
    ],
    ["without its manifest", (_file: string, manifest: string) => rmSync(manifest)],
    ["extended", (file: string) => appendFileSync(file, "x")],
    [
      "changed without a change of its size",
      (file: string) => {
        const bytes = readFileSync(file);
        bytes[20] = (bytes[20] ?? 0) ^ 1;
        writeFileSync(file, bytes);
      },
    ],
    ["with a damaged manifest", (_file: string, manifest: string) => writeFileSync(manifest, "{")],
  ])("fills a file again that is %s", async (_what, damage) => {
    const expected = readFiles(join(cwd, "x"));
    damage(join(cwd, FILE), join(cwd, MANIFEST));
    expect(readFiles(join(cwd, "x"))).not.toEqual(expected);
    expect(await exportNext()).toBe(1);
    expect(readFiles(join(cwd, "x"))).toEqual(expected);
  });

  test("names the series of a damaged file that cannot be filled, with exit code 12", async () => {
    rmSync(join(cwd, FILE));
    const send = createAppTransport(service.app);
    const transport: CliOptions["transport"] = async (request) =>
      request.url.includes("/insights?")
        ? { status: 404, headers: {}, body: JSON.stringify({ error: "No" }) }
        : await send(request);
    const result = await run(`${LINE} --since-last`, cwd, { transport });
    expect([result.code, result.err]).toEqual([
      12,
      expect.stringContaining("could not export insights of ember"),
    ]);
    expect(await exportNext()).toBe(1);
    expect(readFiles(join(cwd, "x"))).toEqual(await exportFresh());
  });
});
