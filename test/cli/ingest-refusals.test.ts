/** Tests of ingest telemetry: rejected data, errors that end the run, and damaged files. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { TransportRequest } from "../../src/client/transport.ts";
import { rateLimited, script } from "../client/script.ts";
import { createAppTransport } from "../harness.ts";
import { type IngestFixture, setUpIngestFixture } from "./ingest-fixture.ts";
import { body, events, record } from "./telemetry-files.ts";

let fixture: IngestFixture;
setUpIngestFixture((made) => {
  fixture = made;
});

describe("rejections of the service", () => {
  test("of events are reported with file and line, also for combined and split lines", async () => {
    const broken = [{ id: "x" }, { id: "y", name: "", timestamp: 1 }];
    record(fixture.folder, "a.ndjson", [
      body("a", events(2)),
      body("a", [...events(1, "f"), ...broken]),
      body("a", [...events(2100, "g"), { id: "late", name: "jump" }]),
    ]);
    const { code, err, report } = await fixture.ingest(["a.ndjson"]);
    expect([code, report.accepted, report.rejected]).toEqual([12, 2103, 3]);
    const lines = report.files[0].refusals.map((refusal: { line: number }) => refusal.line);
    expect(lines).toEqual([2, 2, 3]);
    expect(err).toMatch(/^a\.ndjson, line 2: events\[1\]: .*name/m);
    expect(err).toContain("Incomplete. Not stored: 3 events");
  });

  test("of all events leave nothing", async () => {
    record(fixture.folder, "a.ndjson", [body("a", [{ id: "x" }], { sessionEnded: true })]);
    const { code, err, report } = await fixture.ingest(["a.ndjson"]);
    expect([code, report.rejected, report.files[0].sessions]).toEqual([12, 1, 0]);
    expect(err).toMatch(/^a\.ndjson, line 1: events\[0\]: .*name/m);
    expect(err).toContain("hint: No events were stored. Fix the input");
    expect((await fixture.service.get("/api/v1/sessions")).json.total).toBe(0);
  });

  test("of all events in the last line still end a session that has events", async () => {
    const filler = events(2000);
    record(fixture.folder, "a.ndjson", [body("a", filler), body("a", [{ id: "x" }], { sessionEnded: true })]);
    await fixture.ingest(["a.ndjson"]);
    const [session] = (await fixture.service.get("/api/v1/sessions")).json.items;
    const row = await fixture.service.service.store.readDb
      .selectFrom("sessions")
      .select("ended")
      .where("id", "=", session.id)
      .executeTakeFirstOrThrow();
    expect(row.ended).toBe(1);
  });

  test("of a session id name the game and the session", async () => {
    record(fixture.folder, "a.ndjson", [{ gameId: "ember", sessionId: "s-2", events: events(1) }]);
    const { code, err } = await fixture.ingest(["a.ndjson"]);
    expect(code).toBe(44);
    expect(err).toContain("error: a.ndjson, line 1: No game ember or session s-2\n");
    expect(err).toContain("Use clientSessionId for a session that the service does not know yet.");
  });

  test("of whole requests are reported with their line, and the others are sent", async () => {
    record(fixture.folder, "a.ndjson", [
      body("a", events(1)),
      body("b", events(1), { environment: "NOT A SLUG" }),
      body("b", events(1, "f"), { environment: "NOT A SLUG" }),
      body("c", events(1)),
    ]);
    const { code, err, report } = await fixture.ingest(["a.ndjson"]);
    expect([code, report.accepted]).toEqual([12, 2]);
    expect(err).toMatch(/^a\.ndjson, line 2: .*environment/m);
  });

  test("because of the size are reported with their line", async () => {
    const giant = { id: "giant", name: "jump", timestamp: 1, data: { note: "x".repeat(2 ** 20) } };
    record(fixture.folder, "a.ndjson", [
      body("a", events(1)),
      body("a", [...events(1, "f"), giant, ...events(1, "g")]),
    ]);
    const { code, report } = await fixture.ingest(["a.ndjson"]);
    expect([code, report.accepted, report.files[0].refusals]).toEqual([
      12,
      3,
      [{ line: 2, message: expect.stringMatching(/large|1 MiB|1048576/i) }],
    ]);
  });

  test("are listed up to twenty, and all are counted", async () => {
    record(
      fixture.folder,
      "a.ndjson",
      Array.from({ length: 30 }, () => "{"),
    );
    const { report } = await fixture.ingest(["a.ndjson"]);
    expect([report.badLines, report.files[0].refusals.length]).toEqual([30, 20]);
  });
});

describe("the whole run ends with", () => {
  const status = (code: number, error: string) => script({ status: code, body: { error } }).transport;

  test("a game that does not exist", async () => {
    record(fixture.folder, "a.ndjson", [body("a", events(1), { gameId: "nosuch" }), body("b", events(1))]);
    const { code, err, out, bodies } = await fixture.ingest(["a.ndjson"]);
    expect([code, out, bodies.length]).toEqual([44, "", 1]);
    expect(err).toContain("No game nosuch");
  });

  test("an unknown key, with a hint about how to set another", async () => {
    record(fixture.folder, "a.ndjson", [body("a", events(1))]);
    const { code, err } = await fixture.ingest(["a.ndjson"], { env: { PLAYTEST_INGEST_KEY: "pt_ik_nope" } });
    expect(code).toBe(41);
    expect(err).toContain("PLAYTEST_INGEST_KEY");
  });

  test("a management key, which is not sent", async () => {
    record(fixture.folder, "a.ndjson", [body("a", events(1))]);
    const { code } = await fixture.ingest(["a.ndjson"], {
      env: { PLAYTEST_INGEST_KEY: fixture.service.keys.management },
    });
    expect(code).toBe(43);
  });

  test.each([
    [421, 45],
    [405, 45],
    [402, 42],
    [500, 50],
    [302, 53],
  ])("a service that always returns %i", async (code, exit) => {
    record(fixture.folder, "a.ndjson", [body("a", events(1)), body("b", events(1)), body("c", events(1))]);
    const run = await fixture.ingest(["a.ndjson"], { transport: status(code, "no") });
    expect([run.code, new Set(run.bodies.map((one) => one.clientSessionId)).size]).toEqual([exit, 1]);
  });

  test("a readable message for a file that does not exist", async () => {
    const { err } = await fixture.ingest(["nosuch.ndjson"]);
    expect(err).toContain("error: Cannot read nosuch.ndjson: file not found\n");
  });

  test.each(["nosuch.ndjson", "."])("a file that cannot be read: %s", async (name) => {
    record(fixture.folder, "a.ndjson", [body("a", events(1))]);
    const { code, err } = await fixture.ingest(["a.ndjson", name]);
    expect([code, (await fixture.stored()).total]).toEqual([3, 1]);
    expect(err).toMatch(
      new RegExp(
        `^Sent: a\\.ndjson\\. Not sent, .*\nerror: Cannot read ${name.replace(".", "\\.")}: .*\nhint: Check the path`,
      ),
    );
  });

  test("no error at the rate limit: waits as long as necessary, unless --max-wait is set", async () => {
    record(fixture.folder, "a.ndjson", [body("a", events(1))]);
    const busy = (times: number) => {
      const send = createAppTransport(fixture.service.app);
      let left = times;
      return (request: TransportRequest) =>
        left-- > 0 ? script(rateLimited(600_000)).transport(request) : send(request);
    };
    expect(await fixture.ingest(["a.ndjson"], { transport: busy(9) })).toMatchObject({
      code: 0,
      waits: Array(9).fill(600_000),
    });
    const run = await fixture.ingest(["a.ndjson", "--max-wait", "5m"], { transport: busy(9) });
    expect([run.code, run.waits]).toEqual([49, []]);
  });
});

describe("a file that is far larger than its gzip file", () => {
  const first = JSON.stringify(body("a", events(3)));
  const zip = (filler: string, times: number) => gzipSync(`${first}\n${filler.repeat(times)}`, { level: 9 });

  test.each([
    [
      "has 6 million empty lines",
      zip("\n", 6_000_000),
      / has more than 1 MiB of empty lines, up to line 104857\d\n/,
    ],
    [
      "has endless blanks",
      zip(`${" ".repeat(999)}\n`, 60_000),
      / has more than 1 MiB of empty lines, up to line 10\d\d\n/,
    ],
    [
      "has endless lines without content",
      zip(`{${" ".repeat(9997)}}\n`, 6000),
      / decompresses to more than 200 times its size\n/,
    ],
  ])("%s: is refused early, and what came before is stored", async (_what, bytes, message) => {
    expect(bytes.length).toBeLessThan(200_000);
    writeFileSync(join(fixture.folder, "bomb.gz"), bytes);
    record(fixture.folder, "b.ndjson", [body("b", events(1))]);
    const { code, err, report } = await fixture.ingest(["bomb.gz", "b.ndjson"]);
    expect(code).toBe(12);
    expect(err.match(message)?.[0], err.slice(0, 500)).toBeDefined();
    expect(report.files.map(({ accepted }: { accepted: number }) => accepted)).toEqual([3, 1]);
  });
});

describe("damaged gzip", () => {
  test.each([
    ["cut short", (bytes: Buffer) => bytes.subarray(0, bytes.length - 500)],
    ["cut in its last bytes", (bytes: Buffer) => bytes.subarray(0, bytes.length - 4)],
    [
      "followed by another thing",
      (bytes: Buffer) => Buffer.concat([bytes.subarray(0, bytes.length - 600), Buffer.alloc(700, 7)]),
    ],
  ])("%s: all lines before the damage and all other files are stored", async (_how, damage) => {
    const lines = Array.from({ length: 40 }, (_, at) => body("a", events(20, `${at}-${Math.sin(at)}`)));
    record(fixture.folder, "whole.gz", lines);
    writeFileSync(join(fixture.folder, "cut.gz"), damage(readFileSync(join(fixture.folder, "whole.gz"))));
    record(fixture.folder, "b.ndjson", [body("b", events(1))]);
    const { code, err, report } = await fixture.ingest(["cut.gz", "b.ndjson"]);
    expect(code).toBe(12);
    const match = /cut\.gz is a damaged gzip file: it ends unexpectedly after line (\d+)/.exec(err);
    expect(Number(match?.[1])).toBeGreaterThan(0);
    expect(report.files[0].accepted).toBe(Number(match?.[1]) * 20);
    expect(report.files[1].accepted).toBe(1);
    expect(report.files[0].failure).toContain("ends unexpectedly");
  });

  test("without any readable line is reported", async () => {
    writeFileSync(join(fixture.folder, "a.gz"), Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]));
    const { code, err } = await fixture.ingest(["a.gz"]);
    expect([code, err]).toEqual([
      12,
      expect.stringContaining("a.gz is a damaged gzip file: it ends unexpectedly after line 0"),
    ]);
  });
});
