/** Tests of interrupted runs of ingest telemetry: they continue where they stopped, without losing or duplicating events. */
import { appendFileSync, existsSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fail } from "../../src/cli/errors.ts";
import { openBookmark } from "../../src/cli/telemetry-files/bookmarks.ts";
import { ClientError } from "../../src/client/errors.ts";
import type { Transport } from "../../src/client/transport.ts";
import { createAppTransport, freshFolder, runCli, startTestService, type TestService } from "../harness.ts";
import { body, events, record } from "./telemetry-files.ts";

let service: TestService;
let home: string;
let cwd: string;
beforeEach(async () => {
  service = await startTestService();
  await service.addGame("ember");
  [home, cwd] = [freshFolder(), freshFolder()];
  record(
    cwd,
    "play.ndjson",
    Array.from({ length: 10 }, (_, at) => body(`s${at}`, events(2))),
  );
});
afterEach(() => service.stop());

/** Runs ingest telemetry against a service whose behavior changes after a number of requests. */
async function ingest(
  after = 99,
  then: () => void = () => {},
  argv: string[] = ["play.ndjson"],
  baseUrl?: string,
) {
  const send = createAppTransport(service.app);
  const sessions: string[] = [];
  const transport: Transport = async (request) => {
    if (sessions.length >= after) then();
    sessions.push(JSON.parse(String(request.body)).clientSessionId);
    return await send({ ...request, url: request.url.replace(/^https?:\/\/[^/]+/, "http://127.0.0.1:4400") });
  };
  const controller = new AbortController();
  const run = await runCli(["ingest", "telemetry", ...argv, "--json"], {
    service,
    home,
    cwd,
    transport,
    signal: controller.signal,
    ...(baseUrl ? { env: { PLAYTEST_BASE_URL: baseUrl } } : {}),
  });
  return { ...run, sessions, report: run.out === "" ? null : JSON.parse(run.out) };
}

const fault = () => {
  throw new ClientError("network", "cut");
};
const total = async () => (await service.get("/api/v1/events/ember")).json.total;
const from = (first: number) => Array.from({ length: 10 - first }, (_, at) => `s${first + at}`);

describe("an interrupted run", () => {
  test("continues after the last acknowledged request", async () => {
    const first = await ingest(4, fault);
    expect([first.code, first.out, await total()]).toEqual([51, "", 8]);
    const second = await ingest();
    expect(second.sessions).toEqual(from(4));
    expect([second.code, second.err, await total()]).toEqual([
      0,
      "play.ndjson: continuing after line 4 (use --restart to start over)\n",
      20,
    ]);
    expect(second.report).toMatchObject({ accepted: 12, duplicates: 0, files: [{ resumedAfter: 4 }] });
  });

  test("by Ctrl-C ends with exit code 130 and continues", async () => {
    const controller = new AbortController();
    const send = createAppTransport(service.app);
    let sent = 0;
    const run = await runCli(["ingest", "telemetry", "play.ndjson"], {
      service,
      home,
      cwd,
      signal: controller.signal,
      transport: async (request) => {
        sent += 1;
        if (sent === 3) controller.abort(fail("interrupted"));
        return await send({ ...request, signal: new AbortController().signal });
      },
    });
    expect([run.code, sent]).toEqual([130, 3]);
    expect(run.err).toContain("hint: Run the command again. It continues where it stopped.");
    const second = await ingest();
    expect([second.code, await total()]).toEqual([0, 20]);
    expect(second.sessions.length).toBeLessThanOrEqual(8);
  });

  test("neither loses nor duplicates events if the acknowledgment was lost", async () => {
    const send = createAppTransport(service.app);
    let sent = 0;
    const run = await runCli(["ingest", "telemetry", "play.ndjson"], {
      service,
      home,
      cwd,
      transport: async (request) => {
        const answer = await send(request);
        sent += 1;
        return sent >= 5 ? fault() : answer;
      },
    });
    expect(run.code).toBe(51);
    const second = await ingest();
    expect([second.code, second.report.duplicates > 0, await total()]).toEqual([0, true, 20]);
  });

  test("sends a long line again that was partly acknowledged", async () => {
    record(cwd, "long.ndjson", [body("a", events(1)), body("b", events(5000))]);
    await ingest(2, fault, ["long.ndjson"]);
    const { report, code } = await ingest(99, () => {}, ["long.ndjson"]);
    expect([code, report.accepted, report.duplicates, await total()]).toEqual([0, 3000, 2000, 5001]);
  });

  test("starts over with --restart", async () => {
    await ingest(4, fault);
    const { sessions, report } = await ingest(99, () => {}, ["play.ndjson", "--restart"]);
    expect([sessions, report.duplicates, report.files[0].resumedAfter]).toEqual([from(0), 8, 0]);
  });

  test("starts over if the file has changed", async () => {
    await ingest(4, fault);
    appendFileSync(join(cwd, "play.ndjson"), `${JSON.stringify(body("late", events(1)))}\n`);
    expect((await ingest()).sessions).toEqual([...from(0), "late"]);
    await ingest(0, fault);
    await ingest(4, fault);
    utimesSync(join(cwd, "play.ndjson"), 1_700_000_000, 1_700_000_000);
    expect((await ingest()).sessions).toHaveLength(11);
  });

  test("has a separate bookmark for each service", async () => {
    await ingest(4, fault);
    expect((await ingest(99, () => {}, ["play.ndjson"], "https://other.test")).sessions).toEqual(from(0));
    expect((await ingest()).sessions).toEqual(from(4));
  });

  test("has the same bookmark for every path to the file", async () => {
    await ingest(4, fault);
    expect((await ingest(99, () => {}, [join(cwd, "play.ndjson")])).sessions).toEqual(from(4));
  });

  test("with several files continues in the interrupted one", async () => {
    record(cwd, "other.ndjson", [body("x", events(1)), body("y", events(1))]);
    await ingest(11, fault, ["play.ndjson", "other.ndjson"]);
    expect((await ingest(99, () => {}, ["other.ndjson"])).sessions).toEqual(["y"]);
  });
});

test("a completed file leaves no bookmark, and is sent completely the next time", async () => {
  await ingest(4, fault);
  expect(readdirSync(join(home, "state", "ingest"))).toHaveLength(1);
  await ingest();
  expect(readdirSync(join(home, "state", "ingest"))).toEqual([]);
  expect((await ingest()).sessions).toEqual(from(0));
});

test("two runs on one file at the same time do not interfere", async () => {
  const options = { stateDir: join(home, "state"), cwd, target: "https://studio.test", restart: false };
  const runs = await Promise.all([1, 2].map(() => openBookmark("play.ndjson", options)));
  const lines = Array.from({ length: 20 }, (_, at) => at + 1);
  await Promise.all(runs.flatMap((run) => lines.map((line) => run.save(line))));
  expect(readdirSync(join(home, "state", "ingest"))).toEqual([expect.stringMatching(/^[0-9a-f]+\.json$/)]);
});

test("standard input leaves no bookmark", async () => {
  const send = createAppTransport(service.app);
  await runCli(["ingest", "telemetry", "-"], {
    service,
    home,
    stdin: JSON.stringify(body("a", events(1))),
    transport: send,
  });
  expect(existsSync(join(home, "state", "ingest"))).toBe(false);
});

test("ignores a damaged bookmark", async () => {
  await ingest(4, fault);
  const folder = join(home, "state", "ingest");
  for (const content of ["", "{", "null", '{"line":"4"}']) {
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), content);
    expect((await ingest(2, fault)).sessions).toEqual(["s0", "s1"]);
  }
});
