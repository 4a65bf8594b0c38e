/** Tests of ingest csv: presets, maps, rejected rows, repeated and interrupted runs, and the preview. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import Papa from "papaparse";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TransportRequest } from "../../src/client/transport.ts";
import type { TelemetryEnvelope } from "../../src/contract/telemetry.ts";
import { createAppTransport, freshFolder, runCli, startTestService, type TestService } from "../harness.ts";
import fc from "../property.ts";
import { exports } from "./csv-exports.ts";

let service: TestService;
let folder: string;
beforeEach(async () => {
  service = await startTestService({ budgets: "off" });
  await service.addGame("ember");
  folder = freshFolder();
});
afterEach(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

const MAP = {
  ...{ session: "session", device: "device", event: "name", build: "build" },
  time: { column: "time", format: "unix-ms" },
  ...{ x: "x", y: "y", room: "room" },
  data: ["score"],
};
const HEADER = "session,device,build,time,name,x,y,room,score";
const T0 = Date.UTC(2026, 2, 1, 12);
const row = (session: string, at: number, name = "jump", rest = ",,,") =>
  `${session},dev-${session},0.9.0,${T0 + at},${name},${rest}`;

function write(name: string, content: string | Uint8Array): string {
  writeFileSync(join(folder, name), content);
  return name;
}

/** Runs ingest csv, and returns the bodies of its requests. */
async function ingest(file: string, map: string | object = MAP, more: readonly string[] = []) {
  const name = typeof map === "string" ? map : write("map.json", JSON.stringify(map));
  const send = createAppTransport(service.app);
  const bodies: TelemetryEnvelope[] = [];
  const transport = (request: TransportRequest) => {
    bodies.push(JSON.parse(String(request.body)));
    return send(request);
  };
  const argv = ["ingest", "csv", file, "--map", name, "--game", "ember", "--json", ...more];
  const run = await runCli(argv, { service, cwd: folder, transport });
  return { ...run, bodies, report: run.out === "" ? null : JSON.parse(run.out) };
}

/** The stored sessions with their events, by build and platform. */
async function stored() {
  const { items } = (await service.get("/api/v1/sessions?game=ember&limit=100")).json as {
    items: { id: string; recordedAt: number; metadata: Record<string, unknown> }[];
  };
  const sessions = [];
  for (const { id, recordedAt, metadata } of items) {
    const { json } = await service.get(`/api/v1/sessions/${id}/events?limit=1000`);
    const events = (json as { items: { name: string; timestamp: number; data: unknown }[] }).items;
    sessions.push({
      ...{ recordedAt, build: metadata.gameVersion, platform: metadata.platform },
      events: events.map(({ name, timestamp, data }) => ({ name, timestamp, data })),
    });
  }
  return sessions.sort((a, b) => a.recordedAt - b.recordedAt);
}

describe("a preset", () => {
  test.each(exports)("$preset reads $table", async ({ preset, file, content, sessions, rejected }) => {
    write(file, content);
    const { code, err, report } = await ingest(file, preset);
    const reasons = report.files[0].refusals.map(({ message }: { message: string }) => message);
    expect(reasons, err).toEqual(rejected.map((reason) => expect.stringContaining(reason)));
    expect(code).toBe(rejected.length > 0 ? 12 : 0);
    expect(await stored()).toEqual(sessions);
    expect((await ingest(file, preset, ["--restart"])).report).toMatchObject({ accepted: 0 });
  });

  test("reads a table without its optional columns", async () => {
    write("d.csv", "session_id,user_id,event_client_ts,event_id_01\ns,u,2026-03-01 10:00:00,jump\n");
    const { code, report } = await ingest("d.csv", "gameanalytics", ["--dry-run"]);
    expect([code, report.files[0].rejected, report.files[0].events]).toEqual([
      0,
      0,
      [{ name: "jump", count: 1 }],
    ]);
    expect(report.files[0]).toMatchObject({ preset: "gameanalytics (table design_event)", isExample: true });
  });

  test("reads the table that lacks the fewest columns, and says which values are not there", async () => {
    const json = JSON.stringify({ sessionID: "s", timezoneOffset: "+0000", clientVersion: "9.9" });
    const columns = {
      EVENT_JSON: json,
      USER_ID: "u",
      EVENT_NAME: "jump",
      EVENT_TIMESTAMP: "2026-03-01 10:00:00",
    };
    write("u.csv", Papa.unparse([{ ...columns, ENVIRONMENT_NAME: "staging", PLATFORM: "web" }]));
    const { bodies } = await ingest("u.csv", "unity-analytics");
    expect(bodies).toMatchObject([{ environment: "staging", sessionMetadata: { gameVersion: "9.9" } }]);
    write("v.csv", Papa.unparse([columns]));
    const { report } = await ingest("v.csv", "unity-analytics", ["--dry-run"]);
    expect(report.files[0].columns).toContainEqual({
      field: "environment",
      from: "nothing, because the file has no column ENVIRONMENT_NAME",
    });
  });

  test("names the table that the file comes closest to, if a required column is missing", async () => {
    const header =
      "session_id,user_id,event_client_ts,progress_status,progression_1,progression_2,score,attempt_num";
    write("p.csv", `${header}\ns,u,2026-03-01 10:00:00,Fail,dock,,3,1\n`);
    const { code, err } = await ingest("p.csv", "gameanalytics", ["--dry-run"]);
    expect(code).toBe(3);
    expect(err).toContain(
      'p.csv has no column "progression_status", which the preset gameanalytics (table progression_event) needs',
    );
    expect(err).toContain("progress_status");
  });

  test("and its optional columns can be the start of a map", async () => {
    write("d.csv", "session_id,event_client_ts,event_id_01\ns,2026-03-01 10:00:00,jump\n");
    const map = { preset: "gameanalytics", optional: ["user_id"] };
    expect((await ingest("d.csv", map)).report).toMatchObject({ accepted: 1 });
  });

  test("can be the start of a map", async () => {
    const [first] = exports.filter(({ preset }) => preset === "opengamedata");
    write("a.tsv", first?.content ?? "");
    const map = { preset: "opengamedata", room: { column: "game_state", path: "job_name" } };
    const { code, bodies } = await ingest("a.tsv", map);
    expect(code).toBe(12);
    const rooms = bodies.flatMap(({ events }) => events.map((event) => (event as { data: object }).data));
    expect(rooms).toContainEqual(expect.objectContaining({ room: "no-active-job" }));
  });
});

describe("rows", () => {
  test("of a session can be anywhere in the file, and are sent as one session with its first time", async () => {
    const lines = [
      row("a", 5000),
      row("b", 0),
      row("a", 1000, "fall", "1.5,-2,dock,7"),
      row("b", 9),
      row("a", 3),
    ];
    write("a.csv", `\ufeff${[HEADER, ...lines].join("\r\n")}\r\n`);
    const { code, bodies, report } = await ingest("a.csv");
    expect([code, report.accepted, report.files[0].sessions]).toEqual([0, 5, 2]);
    expect(bodies).toMatchObject([
      {
        ...{
          gameId: "ember",
          clientSessionId: "a",
          deviceId: "dev-a",
          startedAt: T0 + 3,
          sessionEnded: true,
        },
        sessionMetadata: { gameVersion: "0.9.0" },
      },
      { clientSessionId: "b", startedAt: T0 },
    ]);
    const [, first] = await stored();
    expect(first?.events).toEqual([
      { name: "jump", timestamp: T0 + 3, data: null },
      { name: "fall", timestamp: T0 + 1000, data: { x: 1.5, y: -2, room: "dock", score: 7 } },
      { name: "jump", timestamp: T0 + 5000, data: null },
    ]);
  });

  test("that are equal are separate events, and are stored once per file", async () => {
    write("a.csv", gzipSync([HEADER, row("a", 0), row("a", 0), row("a", 0)].join("\n")));
    expect((await ingest("a.csv")).report).toMatchObject({ accepted: 3, duplicates: 0 });
    expect((await ingest("a.csv")).report).toMatchObject({ accepted: 0, duplicates: 3 });
  });

  test("are rejected by line with a reason, and all others are stored", async () => {
    const lines = [
      ...[HEADER, row("a", 0), row("", 1), row("a", 2, ""), row("a", 3, "jump", "one,2,dock,")],
      ...[`a,dev-b,0.9.0,${T0},jump,,,,`, `a,dev-a,0.9.1,${T0},jump,,,,`, "a,dev-a,0.9.0,17723664,jump,,,,"],
      ...["a,b", `"a\n",dev-a,0.9.0,${T0},jump,,,,,x`, `"a"b,dev-a,0.9.0,${T0},jump,,,,`],
      ...[`${"d".repeat(10)},${"x".repeat(200)},0.9.0,${T0},jump,,,,`, row("a", 9)],
    ];
    const bad = Buffer.from(`\na,dev-a,0.9.0,${T0},caf\xe9,,,,\n`, "latin1");
    write("a.csv", Buffer.concat([Buffer.from(lines.join("\n")), bad]));
    const { code, err, report } = await ingest("a.csv");
    const refusals = report.files[0].refusals.map((one: { line: number; message: string }) => [
      one.line,
      one.message,
    ]);
    expect(refusals).toEqual([
      [3, "the session is empty"],
      [4, "the name of the event is empty"],
      [5, 'x "one" is not a number'],
      [6, 'the session "a" has the device "dev-a", but this row has "dev-b"'],
      [7, 'the session "a" has the build "0.9.0", but this row has "0.9.1"'],
      [8, expect.stringContaining("2000 to 2099 as unix-ms")],
      [9, "has 2 columns, but the header has 9 columns"],
      [10, "has 10 columns, but the header has 9 columns (lines 10 to 11)"],
      [12, "column 1 has text after its closing quote"],
      [13, expect.stringMatching(/^the device "x{60}": /)],
      [15, "column 5 is not UTF-8"],
    ]);
    expect([code, report.accepted, report.badLines]).toEqual([12, 2, 11]);
    expect(err).toContain('a.csv, line 6: the session "a" has the device "dev-a"');
  });

  test("without session ids form sessions by the pauses of a device", async () => {
    const { session: _session, ...rest } = MAP;
    const minute = 60_000;
    const at = (device: string, minutes: number) => `,${device},1,${T0 + minutes * minute},jump,,,,`;
    write(
      "a.csv",
      [HEADER, at("p", 0), at("q", 1), at("p", 29), at("p", 58), at("p", 89), at("p", 57)].join("\n"),
    );
    const { report, bodies } = await ingest("a.csv", { ...rest, sessionGapMinutes: 30 });
    expect(report).toMatchObject({ accepted: 5, badLines: 1 });
    expect(report.files[0].refusals[0].message).toContain("Sort the file by time");
    const iso = (minutes: number) => new Date(T0 + minutes * minute).toISOString();
    expect(bodies.map(({ clientSessionId, events }) => [clientSessionId, events.length])).toEqual([
      [`p@${iso(0)}`, 3],
      [`q@${iso(1)}`, 1],
      [`p@${iso(89)}`, 1],
    ]);
  });
});

test("data is converted to numbers, true, false and JSON, and ids stay text", async () => {
  const texts = [
    "7",
    "-1.50",
    "true",
    '{"a":[1]}',
    "007",
    "12345678901234567",
    "12e4",
    "1.2.3",
    "{no",
    "NaN",
  ];
  const lines = texts.map(
    (text, at) => `a,,,${T0 + at},jump,1e2,,,${JSON.stringify(text).replaceAll('\\"', '""')}`,
  );
  write("a.csv", [HEADER, ...lines].join("\n"));
  const { bodies } = await ingest("a.csv");
  const sent = bodies.flatMap(({ events }) => events as { data: { x: number; score: unknown } }[]);
  expect(sent.map(({ data }) => data.score)).toEqual([
    ...[7, -1.5, true, { a: [1] }, "007", "12345678901234567", "12e4", "1.2.3", "{no", "NaN"],
  ]);
  expect(sent.every(({ data }) => data.x === 100)).toBe(true);
});

test("an interrupted run continues before the first row that was not sent", async () => {
  const lines = [...Array.from({ length: 2001 }, (_, at) => row("a", at)), row("b", 0), row("b", 1)];
  write("a.csv", [HEADER, ...lines].join("\n"));
  write("map.json", JSON.stringify(MAP));
  const send = createAppTransport(service.app);
  let sent = 0;
  const transport: typeof send = async (request) => {
    sent += 1;
    if (sent === 2) throw new Error("the network is gone");
    return await send(request);
  };
  const argv = ["ingest", "csv", "a.csv", "--map", "map.json", "--game", "ember", "--json"];
  const first = await runCli(argv, { service, cwd: folder, home: folder, transport });
  expect(first.code).not.toBe(0);
  const second = await runCli(argv, { service, cwd: folder, home: folder });
  expect(second.err).toContain("continuing after line 2001");
  expect(JSON.parse(second.out)).toMatchObject({ accepted: 3, duplicates: 0 });
});

test("a damaged gzip file is reported with its last whole row, and the rows before it are stored", async () => {
  const lines = Array.from({ length: 5000 }, (_, at) => row("a", at, `jump${Math.sin(at)}`));
  const whole = gzipSync([HEADER, ...lines].join("\n"));
  write("cut.csv.gz", whole.subarray(0, whole.length / 2));
  const { code, err, report } = await ingest("cut.csv.gz");
  expect(code).toBe(12);
  const line = Number(/it ends unexpectedly after line (\d+)/.exec(err)?.[1]);
  expect(line).toBeGreaterThan(1000);
  expect(report.accepted).toBe(line - 1);
  const preview = await ingest("cut.csv.gz", MAP, ["--dry-run"]);
  expect([preview.code, preview.bodies]).toEqual([12, []]);
  expect(preview.err).toContain(`it ends unexpectedly after line ${line}`);
  expect(preview.err).not.toContain("were stored");
});

test("events of a session are what the file contains, whatever its texts are", async () => {
  const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }).map((one) => `t${one}t`);
  const events = fc.array(
    fc.record({
      session: fc.constantFrom("a", "b"),
      at: fc.integer({ min: 0, max: 999 }),
      name: text,
      note: text,
    }),
    { minLength: 1, maxLength: 12 },
  );
  const map = { ...MAP, device: undefined, build: undefined, x: undefined, y: undefined, room: undefined };
  let run = 0;
  await fc.assert(
    fc.asyncProperty(events, async (rows) => {
      run += 1;
      const data = rows.map(({ session, at, name, note }) => ({
        session: `${session}${run}`,
        time: T0 + at,
        name,
        note,
      }));
      write("a.csv", Papa.unparse(data, { newline: "\r\n" }));
      const { code, bodies, err } = await ingest("a.csv", { ...map, data: [{ column: "note", text: true }] });
      expect(code, err).toBe(0);
      const sent = bodies.flatMap(({ clientSessionId, events: list }) =>
        (list as { timestamp: number; name: string; data: { note: string } }[]).map((event) => [
          ...[clientSessionId, event.timestamp, event.name, event.data.note],
        ]),
      );
      const expected = data.map(({ session, time, name, note }) => [session, time, name, note]);
      expect(sent.sort()).toEqual(expected.sort());
      const { json } = await service.get("/api/v1/events/ember");
      expect((json as { total: number }).total).toBeGreaterThanOrEqual(rows.length);
    }),
    { numRuns: 15 },
  );
});

describe("--dry-run", () => {
  test("shows the columns, the counts, the first rows and the rejected rows, and sends nothing", async () => {
    const lines = [row("a", 0), row("b", 1000, "fall"), row("a", 2), row("a", 3, "\x1b[31mfall"), row("", 4)];
    write("a.csv", [HEADER, ...lines].join("\n"));
    const { code, bodies, report } = await ingest("a.csv", MAP, ["--dry-run"]);
    expect([code, bodies]).toEqual([12, []]);
    expect(report.files).toMatchObject([
      {
        ...{
          file: "a.csv",
          rows: 5,
          rejected: 1,
          sessions: 2,
          devices: 2,
          from: T0,
          to: T0 + 1000,
          unused: [],
        },
        events: [
          { name: "jump", count: 2 },
          { name: "\x1b[31mfall", count: 1 },
          { name: "fall", count: 1 },
        ],
        refusals: [{ line: 6, message: "the session is empty" }],
      },
    ]);
    const argv = ["ingest", "csv", "a.csv", "--map", "map.json", "--dry-run"];
    const text = await runCli(argv, { cwd: folder, env: {} });
    expect(text.out).toContain("time            time (unix-ms)\n");
    expect(text.out).toContain("line 6: the session is empty\n");
    expect(text.out).not.toContain("\x1b");
    expect(text.err).toContain("1 row would be rejected");
  });

  test("says that a file has only a header", async () => {
    write("a.csv", `${HEADER}\n`);
    write("map.json", JSON.stringify(MAP));
    const argv = ["ingest", "csv", "a.csv", "--map", "map.json", "--dry-run"];
    const { code, out } = await runCli(argv, { cwd: folder, env: {} });
    expect([code, out]).toEqual([0, expect.stringContaining("has no rows after its header.\n")]);
  });

  test("rejects the rows that a run would reject because of their size", async () => {
    const large = row("a", 1, "jump", `,,,${"x".repeat(1024 * 1024)}`);
    write("a.csv", [HEADER, row("a", 0), large].join("\n"));
    const expected = { line: 3, message: "the event is larger than 960 KiB" };
    const preview = await ingest("a.csv", MAP, ["--dry-run"]);
    expect([preview.code, preview.report.files[0].refusals]).toEqual([12, [expected]]);
    expect(preview.report.files[0].events).toEqual([{ name: "jump", count: 1 }]);
    const run = await ingest("a.csv");
    expect([run.code, run.report.accepted, run.err]).toEqual([
      12,
      1,
      expect.stringContaining(expected.message),
    ]);
  });
});
