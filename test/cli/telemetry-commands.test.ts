/** telemetry tail, lint and expect against a service in the same process. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TransportResponse } from "../../src/client/transport.ts";
import { freshFolder, NOW, runCli, startTestService, type TestService } from "../harness.ts";

let service: TestService;
beforeEach(async () => {
  service = await startTestService({ budgets: "off" });
  await service.addGame("ember");
});
afterEach(() => service.stop());

const send = (names: readonly string[], data: object = { room: "dock" }) =>
  service.post("/api/telemetry", {
    gameId: "ember",
    deviceId: "dev\u001b[2J",
    sessionMetadata: { gameVersion: "0.9.0" },
    events: names.map((name, at) => ({ id: `e${at}`, name, timestamp: NOW + at, data })),
  });

const plan = {
  events: {
    player_death: {
      required: true,
      data: { type: "object", required: ["room"], properties: { room: { type: "string" } } },
    },
  },
};

/** A folder with a plan and recordings. */
function folder(files: Readonly<Record<string, unknown>>): string {
  const home = freshFolder();
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(home, name), typeof content === "string" ? content : JSON.stringify(content));
  return home;
}

describe("telemetry tail", () => {
  test("shows events with device, room and data, and refusals with the reason", async () => {
    await send(["player_death"], { room: "dock", cause: "lava\u001b[31m" });
    await service.post("/api/telemetry", {
      gameId: "ember",
      events: [{ id: "x", name: "jump", timestamp: 5 }],
    });
    await service.service.arrivals.flush();
    const line = ["telemetry", "tail", "--recent", "--game", "ember", "--limit", "2"];
    const { code, out, err } = await runCli(line, { service });
    expect([code, err]).toEqual([0, ""]);
    const [event, refusal] = out.split("\n");
    expect(event).toBe("12:00:00Z  dev\\x1b[2J  player_death  dock  cause lava\\x1b[31m");
    expect(refusal).toMatch(
      /^12:00:00Z {2}- {2}REFUSED {2}event_timestamp {2}event 0 \(jump\): timestamp 5 is before/,
    );
    const rejected = await runCli([...line.slice(0, -1), "1", "--rejected", "--json"], { service });
    expect(JSON.parse(rejected.out)).toMatchObject({ kind: "refusal", refusal: { index: 0, name: "jump" } });
    for (const deviceId of ["one", "two"])
      await service.post("/api/telemetry", { gameId: "ember", clientSessionId: "s", deviceId, events: [] });
    await service.service.arrivals.flush();
    // The refusal without a device may be of any device.
    const { out: lines } = await runCli([...line, "--device", "two"], { service });
    expect(lines.split("\n")[1]).toMatch(
      /^12:00:00Z {2}two {2}WARNING {2}client_session_shared {2}request \(HTTP 202\): clientSessionId is used/,
    );
  });

  test("shows what arrives while it runs, and stops with code 0 when it is interrupted", async () => {
    const stop = new AbortController();
    const seen: string[] = [];
    const run = runCli(["telemetry", "tail", "-g", "ember"], {
      service,
      signal: stop.signal,
      onOut: (text) => {
        seen.push(text);
        stop.abort();
      },
    });
    const sending = setInterval(() => void send(["player_death"]), 100);
    expect((await run).code).toBe(0);
    clearInterval(sending);
    expect(seen[0]).toContain("player_death");
  });

  test("checks events against a plan, and exits with code 10", async () => {
    await send(["player_death"], { room: 7 });
    await service.service.arrivals.flush();
    const cwd = folder({ "plan.json": plan });
    const { code, out, err } = await runCli(
      ["telemetry", "tail", "--recent", "-g", "ember", "--plan", "plan.json", "--limit", "1"],
      { service, cwd },
    );
    expect(code).toBe(10);
    expect(out).toContain("VIOLATION data.room must be string");
    expect(err).toContain("1 event violates the tracking plan");
  });

  test.each(["csv", "tsv", "md"])("refuses the format %s, which a stream does not have", async (format) => {
    const { code, out, err } = await runCli(["telemetry", "tail", "-g", "ember", "--format", format], {
      service,
    });
    expect([code, out, err]).toEqual([2, "", expect.stringContaining(`--format ${format}`)]);
  });

  test("refuses an unknown game", async () => {
    expect((await runCli(["telemetry", "tail", "-g", "nowhere"], { service })).code).toBe(44);
  });
});

describe("a stream that breaks the protocol", () => {
  const tail = async (reply: Partial<TransportResponse>) =>
    await runCli(["telemetry", "tail", "-g", "ember"], {
      service,
      transport: async () => ({ status: 200, headers: {}, body: "", ...reply }),
    });

  test("is refused if it is not a stream, or has an endless event", async () => {
    const none = await tail({ body: "{}" });
    expect([none.code, none.err]).toEqual([53, expect.stringContaining("did not respond with a stream")]);
    const endless = (async function* () {
      for (;;) yield Buffer.alloc(1024 * 1024, "x");
    })();
    const headers = { "content-type": "text/event-stream" };
    const { code, err } = await tail({ headers, stream: endless });
    expect([code, err]).toEqual([53, expect.stringContaining("endless event")]);
  });
});

describe("telemetry lint", () => {
  const event = (name: string, data?: object) => ({
    id: "1",
    name,
    timestamp: NOW,
    ...(data ? { data } : {}),
  });

  test("passes a recording that follows the plan", async () => {
    const body = { gameId: "ember", events: [event("player_death", { room: "dock" })] };
    const cwd = folder({ "plan.json": plan, "play.ndjson": body });
    const { code, err } = await runCli(["telemetry", "lint", "plan.json", "play.ndjson"], { cwd });
    expect([code, err]).toEqual([0, "All 1 events follow the plan.\n"]);
  });

  test("lists names, fields and types that violate the plan, and required events that are missing", async () => {
    const lines = [
      { events: [event("jump"), event("jump")] },
      event("player_deth", { room: "dock" }),
      "{",
    ].map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
    const cwd = folder({ "plan.json": plan, "play.ndjson": lines.join("\n") });
    const { code, out } = await runCli(["telemetry", "lint", "plan.json", "play.ndjson", "--json"], { cwd });
    expect(code).toBe(10);
    expect(JSON.parse(out).violations).toEqual([
      { event: "jump", problem: "is not in the plan", count: 2, first: "play.ndjson, line 1" },
      { event: "player_deth", problem: "is not in the plan", count: 1, first: "play.ndjson, line 2" },
      {
        ...{ event: "(line)", problem: "is neither an event nor a telemetry body" },
        ...{ count: 1, first: "play.ndjson, line 3" },
      },
      { event: "player_death", problem: "never occurs", count: 1, first: "the whole recording" },
    ]);
  });

  test("refuses a plan with an invalid schema", async () => {
    for (const invalid of [{ events: { a: { data: { type: "strin" } } } }, { event: {} }]) {
      const cwd = folder({ "plan.json": invalid, "play.ndjson": "" });
      const { code, err } = await runCli(["telemetry", "lint", "plan.json", "play.ndjson"], { cwd });
      expect([code, err]).toEqual([3, expect.stringContaining("The plan plan.json is not valid")]);
    }
  });
});

describe("telemetry expect", () => {
  const expectEvents = (...args: string[]) =>
    runCli(["telemetry", "expect", ...args, "-g", "ember"], { service });

  test("passes if the events were sent, and exits with code 10 if not", async () => {
    await send(["player_death", "player_death", "quit"]);
    expect((await expectEvents("player_death>=2", "quit", "crash==0")).code).toBe(0);
    const failed = await expectEvents("player_death>=3", "quit", "--json");
    expect(failed.code).toBe(10);
    expect(JSON.parse(failed.out)).toEqual({
      sessions: 1,
      expectations: [
        { event: "player_death", expected: ">= 3", count: 2, met: false },
        { event: "quit", expected: ">= 1", count: 1, met: true },
      ],
    });
    expect(failed.err).toContain("Not met in 1 session: player_death >= 3 (was 2)");
    expect((await expectEvents("quit", "--build", "0.8.0")).code).toBe(10);
    expect((await expectEvents("quit", "--since", "1m")).code).toBe(0);
    service.clock.now += 3600_000;
    expect((await expectEvents("quit", "--since", "1m")).code).toBe(10);
    expect((await expectEvents("quit", "--device", "other")).code).toBe(10);
  });

  test("does not decide about events that the service did not count by name", async () => {
    const names = Array.from({ length: 2001 }, (_, at) => `e${at}`);
    await send(names.slice(0, 2000));
    await service.post("/api/telemetry", {
      gameId: "ember",
      events: ["e2000", "e1"].map((name, at) => ({ id: `more${at}`, name, timestamp: NOW + at })),
    });
    for (const flags of [[], ["--since", "1m"]]) {
      const { code, out, err } = await expectEvents(
        "e2000",
        "e1>=2",
        "none==0",
        "e1<1",
        "e2<=2",
        "--json",
        ...flags,
      );
      expect(code).toBe(10);
      const { expectations } = JSON.parse(out) as { expectations: { event: string; met: boolean | null }[] };
      expect(expectations.map(({ met }) => met)).toEqual([null, true, null, false, true]);
      expect(err).toContain("e1 < 1 (was 2)");
      expect(err).not.toContain("e2000 >= 1 (was 0)");
    }
    const unknown = await expectEvents("e2000", "e1");
    expect([unknown.code, unknown.err]).toEqual([11, expect.stringContaining("e2000 >= 1 (was 0 to 1)")]);
    expect(unknown.out).toMatch(/e2000 .*unknown/);
  });

  test("measures the performance of the game", async () => {
    await service.post("/api/telemetry", {
      ...{ gameId: "ember", clientSessionId: "measured", deviceId: "device", sessionEnded: true },
      sessionMetadata: { gameVersion: "2.0", platform: "windows" },
      events: [
        { room: "dock", frames: [0, 0, 0, 0, 0, 0, 950, 0, 0, 50], memoryMb: 612 },
        { room: "attic", frames: [0, 0, 0, 0, 0, 0, 0, 0, 0, 1000] },
      ].map((data, at) => ({ id: `p${at}`, name: "performance", timestamp: NOW + at, data })),
    });
    await service.analysis.drain();
    const missing = await expectEvents("load-time<700", "--build", "2.0");
    expect([missing.code, missing.err]).toEqual([
      ...[10, expect.stringContaining("load-time < 700 (was not measured)")],
    ]);
    const run = await expectEvents(
      ...["frame-time-p95:dock<=17", "frame-time-p95<34", "memory<700", "performance==2"],
      ...["--build", "2.0", "--json"],
    );
    expect(JSON.parse(run.out).expectations).toMatchObject([
      { event: "frame-time-p95:dock", count: 17, met: true },
      { event: "frame-time-p95", count: 33.6, met: true },
      { event: "memory", count: 612, met: true },
      { event: "performance", count: 2, met: true },
    ]);
    expect((await expectEvents("frame-time-p95<=33", "--build", "2.0")).code).toBe(10);
  });

  test("takes the name of a metric for an event without a comparison, or with a prefix", async () => {
    await send(["memory", "memory"]);
    const run = await expectEvents("memory", "event:memory>=2", "event:stutter==0", "--json");
    expect([run.code, JSON.parse(run.out).expectations]).toMatchObject([
      0,
      [
        { event: "memory", count: 2 },
        { event: "memory", count: 2 },
        { event: "stutter", count: 0 },
      ],
    ]);
  });

  test("says why nothing was measured", async () => {
    const measured = (id: string, metadata: object, data: object, sessionEnded = true) =>
      service.post("/api/telemetry", {
        ...{
          gameId: "ember",
          clientSessionId: id,
          deviceId: id,
          sessionEnded,
          sessionMetadata: metadata,
        },
        events: [{ id, name: "performance", timestamp: NOW, data }],
      });
    await measured("s1", {}, { room: "dock", memoryMb: 1 });
    const unnamed = await expectEvents("memory<700");
    expect([unnamed.code, unnamed.err]).toEqual([
      10,
      expect.stringContaining("No session has a build version."),
    ]);
    await measured("s2", { gameVersion: "2.0" }, { room: "dock", memoryMb: 400 }, false);
    expect((await expectEvents("memory<700")).err).toContain("No session is analyzed yet.");
    await measured("s3", { gameVersion: "2.0" }, { room: "dock", frames: [299], memoryMb: 500 });
    await service.analysis.drain();
    const few = await expectEvents("frame-time-p95:dock<17");
    expect(few.err).toContain("Measured: memory:dock. Frame times and stutter need 300 frames");
  });

  test("refuses comparisons that have no meaning", async () => {
    expect((await expectEvents("quit>=1.5")).code).toBe(2);
    const { code, err } = await expectEvents("memory<700", "--since", "1m");
    expect([code, err]).toEqual([2, expect.stringContaining("cannot be combined with --device or --since")]);
  });

  test("waits until the events arrive, or the time is over", async () => {
    const late = await expectEvents("quit", "--wait", "10s");
    expect([late.code, late.waits.length]).toEqual([10, 5]);
  });
});
