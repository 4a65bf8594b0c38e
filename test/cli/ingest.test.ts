/** Tests of ingest telemetry: how the lines of a file become requests. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { runCli } from "../harness.ts";
import { type IngestFixture, setUpIngestFixture } from "./ingest-fixture.ts";
import { body, events, ndjson, record } from "./telemetry-files.ts";

let fixture: IngestFixture;
setUpIngestFixture((made) => {
  fixture = made;
});

describe("a file", () => {
  test.each(["play.ndjson", "play.ndjson.gz"])(
    "%s is sent line by line, and the counts are reported",
    async (name) => {
      record(fixture.folder, name, [body("a", events(3)), "", body("b", events(2)), "   "]);
      const { code, err, report, requests } = await fixture.ingest([name]);
      expect([code, err]).toEqual([0, ""]);
      expect(report).toEqual({
        accepted: 5,
        duplicates: 0,
        rejected: 0,
        badLines: 0,
        files: [
          {
            file: name,
            resumedAfter: 0,
            sessions: 2,
            accepted: 5,
            duplicates: 0,
            rejected: 0,
            badLines: 0,
            refusals: [],
            failure: null,
          },
        ],
      });
      expect(requests.map(({ url, headers }) => [url, headers.authorization])).toEqual(
        Array.from({ length: 2 }, () => [
          "http://127.0.0.1:4400/api/telemetry",
          `Bearer ${fixture.service.keys.ingest}`,
        ]),
      );
      expect(await fixture.stored()).toMatchObject({ total: 5, sessionCount: 2 });
    },
  );

  test("is sent to --game where its lines name no game", async () => {
    const { gameId, ...unnamed } = body("a", events(2));
    record(fixture.folder, "play.ndjson", [unnamed, body("b", events(1))]);
    const { code, report, requests } = await fixture.ingest(["play.ndjson", "--game", "ember"]);
    expect([code, report]).toMatchObject([0, { accepted: 3, badLines: 0 }]);
    const games = requests.map(({ body: sent }) => JSON.parse(String(sent)).gameId);
    expect(games).toEqual(["ember", gameId]);
  });

  test("can be standard input, plain or gzip, with CR LF and without a final line feed", async () => {
    const text = ndjson([body("a", events(3)), body("b", events(1))])
      .replaceAll("\n", "\r\n")
      .trimEnd();
    expect((await fixture.ingest(["-"], { stdin: text })).report).toMatchObject({
      accepted: 4,
      files: [{ file: "-" }],
    });
    expect((await fixture.ingest(["-"], { stdin: gzipSync(text) })).report).toMatchObject({
      accepted: 0,
      duplicates: 4,
    });
  });

  test("can have a byte order mark, any Unicode text and several gzip members", async () => {
    const lines = [
      `\ufeff${JSON.stringify(body("é🔥", events(1)))}\n`,
      `${JSON.stringify(body("b", events(1)))}\n`,
    ];
    writeFileSync(join(fixture.folder, "a.gz"), Buffer.concat(lines.map((line) => gzipSync(line))));
    const { bodies, report } = await fixture.ingest(["a.gz"]);
    expect(bodies.map((one) => one.clientSessionId)).toEqual(["é🔥", "b"]);
    expect(report.accepted).toBe(2);
  });

  test("can be empty", async () => {
    record(fixture.folder, "empty.ndjson", []);
    expect(await fixture.ingest(["empty.ndjson", "-"])).toMatchObject({ code: 0, err: "", bodies: [] });
  });

  test("that is sent twice is stored once", async () => {
    record(fixture.folder, "a.ndjson", [body("a", events(3)), { gameId: "ember", events: events(2) }]);
    await fixture.ingest(["a.ndjson"]);
    const { report, code } = await fixture.ingest(["a.ndjson"]);
    expect([code, report]).toEqual([0, expect.objectContaining({ accepted: 0, duplicates: 5 })]);
    expect(await fixture.stored()).toMatchObject({ total: 5, sessionCount: 2 });
  });

  test("is reported separately from other files", async () => {
    record(fixture.folder, "a.ndjson", [body("a", events(3))]);
    record(fixture.folder, "b.ndjson", [body("b", events(2)), "{"]);
    const run = await runCli(["ingest", "telemetry", "a.ndjson", "b.ndjson"], {
      service: fixture.service,
      cwd: fixture.folder,
    });
    expect(run.code).toBe(12);
    expect(run.out).toMatchInlineSnapshot(`
      "FILE      SESSIONS  NEW EVENTS  DUPLICATES  REJECTED EVENTS  REJECTED LINES
      ────────  ────────  ──────────  ──────────  ───────────────  ──────────────
      a.ndjson         1           3           0                0               0
      b.ndjson         1           2           0                0               1
      "
    `);
    expect(run.err).toMatchInlineSnapshot(`
      "b.ndjson, line 2: not valid JSON
      Incomplete. Not stored: 1 line
      hint: Everything else is stored. Fix the input and run the command again; stored events are not stored twice.
      "
    `);
  });
});

describe("lines", () => {
  test("of one session that follow each other are combined, up to 2,000 events", async () => {
    const lines = Array.from({ length: 25 }, (_, at) => body("a", events(100, `${at}-`)));
    record(fixture.folder, "a.ndjson", [...lines, body("b", events(1)), body("a", events(1, "z"))]);
    const { bodies, report } = await fixture.ingest(["a.ndjson"]);
    expect(bodies.map((one) => [one.clientSessionId, one.events.length])).toEqual([
      ["a", 2000],
      ["a", 500],
      ["b", 1],
      ["a", 1],
    ]);
    expect(report).toMatchObject({ accepted: 2502, files: [{ sessions: 2 }] });
  });

  test("of one session with a different envelope are not combined", async () => {
    record(fixture.folder, "a.ndjson", [body("a", events(1)), body("a", events(1, "f"), { title: "Named" })]);
    expect((await fixture.ingest(["a.ndjson"])).bodies).toHaveLength(2);
  });

  test("of more than 2,000 events are split, and only the last part ends the session", async () => {
    record(fixture.folder, "a.ndjson", [body("a", events(4500), { sessionEnded: true })]);
    const { bodies, report } = await fixture.ingest(["a.ndjson"]);
    expect(bodies.map((one) => [one.events.length, one.sessionEnded])).toEqual([
      [2000, undefined],
      [2000, undefined],
      [500, true],
    ]);
    expect(report.accepted).toBe(4500);
  });

  test.each(["x", "語", "🔥"])("of more than 1 MiB of %s are split by bytes", async (character) => {
    const data = { note: character.repeat(1000) };
    record(fixture.folder, "a.ndjson", [
      body("a", events(700, "e", data)),
      body("a", events(700, "f", data)),
    ]);
    const { requests, report } = await fixture.ingest(["a.ndjson"]);
    expect(report).toMatchObject({ accepted: 1400, rejected: 0 });
    for (const request of requests)
      expect(Buffer.byteLength(String(request.body))).toBeLessThanOrEqual(2 ** 20);
  });

  test("without a session id become their own sessions, and equal lines the same session", async () => {
    const line = { gameId: "ember", events: events(2) };
    record(fixture.folder, "a.ndjson", [line, line, { ...line, title: "other" }]);
    const { report, bodies } = await fixture.ingest(["a.ndjson"]);
    expect(report).toMatchObject({ accepted: 4, duplicates: 2, files: [{ sessions: 2 }] });
    expect(new Set(bodies.map((one) => one.clientSessionId)).size).toBe(2);
  });

  test("with a session id of the service are added to that session", async () => {
    const { json } = await fixture.service.post("/api/telemetry", body("a", events(1)));
    record(fixture.folder, "a.ndjson", [{ sessionId: json.sessionId, gameId: "ember", events: events(3) }]);
    expect((await fixture.ingest(["a.ndjson"])).report).toMatchObject({ accepted: 2, duplicates: 1 });
  });

  test("that are invalid are reported with their numbers, and the others are sent", async () => {
    const bad = ["not JSON", "[1]", "5", "null", '{"gameId":"ember"}', '{"events":{}}'];
    record(fixture.folder, "a.ndjson", [body("a", events(1)), ...bad, "", body("b", events(1))]);
    const { code, err, report } = await fixture.ingest(["a.ndjson"]);
    expect(code).toBe(12);
    expect(report).toMatchObject({ accepted: 2, badLines: 6 });
    expect(err.split("\n").slice(0, 8)).toEqual([
      "a.ndjson, line 2: not valid JSON",
      "a.ndjson, line 3: not a JSON object",
      "a.ndjson, line 4: not a JSON object",
      "a.ndjson, line 5: not a JSON object",
      "a.ndjson, line 6: no `events` array",
      "a.ndjson, line 7: no `events` array",
      "Incomplete. Not stored: 6 lines",
      expect.stringMatching(/^hint: /),
    ]);
  });
});
