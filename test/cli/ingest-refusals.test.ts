/** ingest telemetry: what the service refuses, what ends the run, and files that break off. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { TransportRequest } from "../../src/client/transport.ts";
import { limited, script } from "../client/script.ts";
import { transportOf } from "../harness.ts";
import { eachTest, type Place } from "./place.ts";
import { body, events, record } from "./recordings.ts";

let place: Place;
eachTest((made) => {
  place = made;
});

describe("what the service refuses", () => {
  test("of events is named by file and line, across joined and split lines", async () => {
    const broken = [{ id: "x" }, { id: "y", name: "", timestamp: 1 }];
    record(place.folder, "a.ndjson", [
      body("a", events(2)),
      body("a", [...events(1, "f"), ...broken]),
      body("a", [...events(2100, "g"), { id: "late", name: "jump" }]),
    ]);
    const { code, err, report } = await place.ingest(["a.ndjson"]);
    expect([code, report.accepted, report.rejected]).toEqual([12, 2103, 3]);
    const lines = report.files[0].refusals.map((refusal: { line: number }) => refusal.line);
    expect(lines).toEqual([2, 2, 3]);
    expect(err).toMatch(/^a\.ndjson:2: event \d+: .*name/m);
    expect(err).toContain("Incomplete: not taken: 3 events");
  });

  test("of bodies is named by the line it came from, and the rest goes on", async () => {
    record(place.folder, "a.ndjson", [
      body("a", events(1)),
      body("b", events(1), { environment: "NOT A SLUG" }),
      body("b", events(1, "f"), { environment: "NOT A SLUG" }),
      body("c", events(1)),
    ]);
    const { code, err, report } = await place.ingest(["a.ndjson"]);
    expect([code, report.accepted]).toEqual([12, 2]);
    expect(err).toMatch(/^a\.ndjson:2: .*environment/m);
  });

  test("for its size is named by its own line", async () => {
    const giant = { id: "giant", name: "jump", timestamp: 1, data: { note: "x".repeat(2 ** 20) } };
    record(place.folder, "a.ndjson", [
      body("a", events(1)),
      body("a", [...events(1, "f"), giant, ...events(1, "g")]),
    ]);
    const { code, report } = await place.ingest(["a.ndjson"]);
    expect([code, report.accepted, report.files[0].refusals]).toEqual([
      12,
      3,
      [{ line: 2, message: expect.stringMatching(/large|1 MiB|1048576/i) }],
    ]);
  });

  test("names no more than twenty, and counts all", async () => {
    record(
      place.folder,
      "a.ndjson",
      Array.from({ length: 30 }, () => "{"),
    );
    const { report } = await place.ingest(["a.ndjson"]);
    expect([report.badLines, report.files[0].refusals.length]).toEqual([30, 20]);
  });
});

describe("what ends the whole run", () => {
  const status = (code: number, error: string) => script({ status: code, body: { error } }).transport;

  test("is a game that does not exist", async () => {
    record(place.folder, "a.ndjson", [body("a", events(1), { gameId: "nosuch" }), body("b", events(1))]);
    const { code, err, out, bodies } = await place.ingest(["a.ndjson"]);
    expect([code, out, bodies.length]).toEqual([44, "", 1]);
    expect(err).toContain('"nosuch"');
  });

  test("is a key that is not known, with the way to give another", async () => {
    record(place.folder, "a.ndjson", [body("a", events(1))]);
    const { code, err } = await place.ingest(["a.ndjson"], { env: { PLAYTEST_INGEST_KEY: "pt_ik_nope" } });
    expect(code).toBe(41);
    expect(err).toContain("PLAYTEST_INGEST_KEY");
  });

  test("is a management key, which goes nowhere", async () => {
    record(place.folder, "a.ndjson", [body("a", events(1))]);
    const { code } = await place.ingest(["a.ndjson"], {
      env: { PLAYTEST_INGEST_KEY: place.service.keys.management },
    });
    expect(code).toBe(43);
  });

  test.each([
    [421, 45],
    [405, 45],
    [402, 42],
    [500, 50],
    [302, 53],
  ])("is a service that answers %i to everything", async (code, exit) => {
    record(place.folder, "a.ndjson", [body("a", events(1)), body("b", events(1)), body("c", events(1))]);
    const run = await place.ingest(["a.ndjson"], { transport: status(code, "no") });
    expect([run.code, new Set(run.bodies.map((one) => one.clientSessionId)).size]).toEqual([exit, 1]);
  });

  test("names a file that is not there in words", async () => {
    const { err } = await place.ingest(["nosuch.ndjson"]);
    expect(err).toContain("error: nosuch.ndjson cannot be read: there is no such file\n");
  });

  test.each(["nosuch.ndjson", "."])("is a file that cannot be read: %s", async (name) => {
    record(place.folder, "a.ndjson", [body("a", events(1))]);
    const { code, err } = await place.ingest(["a.ndjson", name]);
    expect([code, (await place.stored()).total]).toEqual([3, 1]);
    expect(err).toMatch(
      new RegExp(`^error: ${name.replace(".", "\\.")} cannot be read: .*\nhint: Check the path`),
    );
  });

  test("is not the rate limit: it is waited out, however long, unless --max-wait says otherwise", async () => {
    record(place.folder, "a.ndjson", [body("a", events(1))]);
    const busy = (times: number) => {
      const send = transportOf(place.service.app);
      let left = times;
      return (request: TransportRequest) =>
        left-- > 0 ? script(limited(600_000)).transport(request) : send(request);
    };
    expect(await place.ingest(["a.ndjson"], { transport: busy(9) })).toMatchObject({
      code: 0,
      waits: Array(9).fill(600_000),
    });
    const run = await place.ingest(["a.ndjson", "--max-wait", "5m"], { transport: busy(9) });
    expect([run.code, run.waits]).toEqual([49, []]);
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
  ])("%s has every line before taken, and the rest of the files too", async (_how, damage) => {
    const lines = Array.from({ length: 40 }, (_, at) => body("a", events(20, `${at}-${Math.sin(at)}`)));
    record(place.folder, "whole.gz", lines);
    writeFileSync(join(place.folder, "cut.gz"), damage(readFileSync(join(place.folder, "whole.gz"))));
    record(place.folder, "b.ndjson", [body("b", events(1))]);
    const { code, err, report } = await place.ingest(["cut.gz", "b.ndjson"]);
    expect(code).toBe(12);
    const told = /cut\.gz is damaged gzip: it breaks off after line (\d+)/.exec(err);
    expect(Number(told?.[1])).toBeGreaterThan(0);
    expect(report.files[0].accepted).toBe(Number(told?.[1]) * 20);
    expect(report.files[1].accepted).toBe(1);
    expect(report.files[0].failure).toContain("breaks off");
  });

  test("of which nothing can be read is told so", async () => {
    writeFileSync(join(place.folder, "a.gz"), Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]));
    const { code, err } = await place.ingest(["a.gz"]);
    expect([code, err]).toEqual([
      12,
      expect.stringContaining("a.gz is damaged gzip: it breaks off after line 0"),
    ]);
  });
});
