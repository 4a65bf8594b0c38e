/** Exported files: safe names, staying inside the folder, locks, state, and the same bytes for the same rows. */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { int64, json, string, timestamp } from "../../src/export/column.ts";
import { openDraft } from "../../src/export/files/draft.ts";
import { preparePath, toPathSegment } from "../../src/export/files/paths.ts";
import { createEncoder, type Encoding } from "../../src/export/formats/index.ts";
import { acquireLock } from "../../src/export/lock.ts";
import { type Cursor, ExportState } from "../../src/export/state.ts";
import { freshFolder, NOW } from "../harness.ts";
import { queryDuckDb } from "./export-fixtures.ts";

type Row = readonly [text: string | null, count: number | null, at: number | null, more: unknown];

const columns = [
  string<Row>("text", "", ([text]) => text),
  int64<Row>("count", "", ([, count]) => count),
  timestamp<Row>("at", "", ([, , at]) => at),
  json<Row>("more", "", ([, , , more]) => more),
] as never[];

const rows: Row[] = [
  ["plain", 1, NOW, { a: [1] }],
  ["żółć 🐙", Number.MAX_SAFE_INTEGER, 0, []],
  [null, null, null, null],
];

const sanitizer = {
  csvText: (text: string) => text,
  csvJson: (text: string) => text,
  json: (text: string) => text,
};

async function encode(format: Encoding["format"], gzip: boolean, input: readonly Row[]): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const sink = async (bytes: Uint8Array) => void chunks.push(bytes);
  const encoder = await createEncoder(columns, sink, {
    format,
    gzip,
    sanitizer,
    tool: "playtest test",
  });
  for (const row of input) await encoder.write([[...row]]);
  await encoder.finish();
  return Buffer.concat(chunks);
}

describe("encoders", () => {
  test.each([
    ["ndjson", false],
    ["ndjson", true],
    ["csv", true],
    ["parquet", false],
  ] as const)(
    "%s with gzip %s writes the same bytes each time, and a valid file without rows",
    async (format, gzip) => {
      expect((await encode(format, gzip, rows)).equals(await encode(format, gzip, rows))).toBe(true);
      const empty = await encode(format, gzip, []);
      const text = (gzip ? gunzipSync(empty) : empty).toString();
      expect(text).toBe(format === "csv" ? "text,count,at,more\n" : format === "ndjson" ? "" : text);
    },
  );

  test("ndjson preserves every value in column order", async () => {
    const lines = (await encode("ndjson", false, rows)).toString().trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      rows.map(([text, count, at, more]) => ({ text, count, at, more })),
    );
    expect(lines[0]?.indexOf("text")).toBeLessThan(lines[0]?.indexOf("more") ?? 0);
  });

  test("parquet preserves every value across row groups", async () => {
    const path = join(freshFolder(), "x.parquet");
    const many = Array.from({ length: 10_000 }, (_, n): Row => [`t${n}`, n, n, null]);
    writeFileSync(path, await encode("parquet", false, [...rows, ...many]));
    const result = await queryDuckDb(`SELECT text, count, epoch_ms("at") AS ms, more FROM '${path}' LIMIT 3`);
    expect(result).toEqual([
      { text: "plain", count: "1", ms: String(NOW), more: '{"a":[1]}' },
      { text: "żółć 🐙", count: String(Number.MAX_SAFE_INTEGER), ms: "0", more: "[]" },
      { text: null, count: null, ms: null, more: null },
    ]);
    const [totals] = await queryDuckDb(
      `SELECT count(*) AS n, sum(count) AS s FROM '${path}' WHERE text LIKE 't%'`,
    );
    expect(totals).toEqual({ n: "10000", s: String((10_000 * 9999) / 2) });
    const groups = await queryDuckDb(
      `SELECT DISTINCT row_group_id, compression FROM parquet_metadata('${path}') ORDER BY 1`,
    );
    expect(groups.map(({ compression }) => compression)).toEqual(["SNAPPY", "SNAPPY"]);
  });

  test("parquet rejects fractions in an int64 column and names the column", async () => {
    await expect(encode("parquet", false, [["x", 1.5, null, null]])).rejects.toMatchObject({
      code: "unsupported_value",
      message: "Column count of a Parquet file requires whole numbers, but a value is 1.5",
    });
  });
});

describe("toPathSegment", () => {
  test.each([
    ["ember", "ember"],
    ["v1.2", "v1.2"],
    ["..", "%2E%2E"],
    [".", "%2E"],
    ["../../etc", "%2E.%2F..%2Fetc"],
    ["a\\b:c*", "a%5Cb%3Ac%2A"],
    ["a\0b", "a%00b"],
    ["ż", "%C5%BC"],
    ["con.", "con%2E"],
  ])("encodes %j as %j", (name, segment) => expect(toPathSegment(name)).toBe(segment));

  test("truncates long names and keeps them distinct", () => {
    const [a, b] = [toPathSegment(`${"ż".repeat(200)}a`), toPathSegment(`${"ż".repeat(200)}b`)];
    expect(a).not.toBe(b);
    expect(a).toMatch(/^(%C5%BC)+(%C5)?-[0-9a-f]{16}$/);
    expect(a.length).toBeLessThan(180);
  });
});

test("preparePath and openDraft reject symbolic links, at the end of a path and within it", async () => {
  const [root, outside] = [freshFolder(), freshFolder()];
  symlinkSync(outside, join(root, "events"));
  mkdirSync(join(root, "keys"));
  symlinkSync(join(outside, "x"), join(root, "keys", "all.csv"));
  for (const segments of [
    ["events", "a.csv"],
    ["keys", "all.csv"],
  ])
    await expect(preparePath(root, segments)).rejects.toMatchObject({ code: "path_blocked" });
  symlinkSync(join(outside, "draft"), join(root, "x.draft"));
  await expect(openDraft(join(root, "x"))).rejects.toMatchObject({
    code: "path_blocked",
    message: expect.stringContaining("x.draft: it is a symbolic link"),
  });
  expect(readdirSync(outside)).toEqual([]);
});

describe("acquireLock", () => {
  const processStarts = new Map([[3, "77"]]);
  const holder = (pid: number, alive: readonly number[]) => ({
    pid,
    startedAt: NOW,
    machine: {
      host: "here",
      boot: "b2",
      bootedAt: NOW - 1000,
      getProcessStart: (other: number) => processStarts.get(other) ?? null,
    },
    isAlive: (other: number) => alive.includes(other),
  });

  test("lets one process hold the lock until it is released", async () => {
    const path = join(freshFolder(), "deep", "lock");
    const release = await acquireLock(path, holder(1, [1, 2]));
    await expect(acquireLock(path, holder(2, [1, 2]))).rejects.toMatchObject({ code: "locked" });
    await release();
    expect(existsSync(path)).toBe(false);
    await (await acquireLock(path, holder(2, [2])))();
  });

  test.each([
    ["a process that ended", JSON.stringify({ pid: 7 })],
    ["an earlier process with the same id", JSON.stringify({ pid: 2 })],
    ["no process (invalid JSON)", "{"],
    ["no process (empty file)", ""],
    ["a process whose id was reused", JSON.stringify({ pid: 3, host: "here", boot: "b2", begin: "76" })],
    [
      "a process from before the last boot",
      JSON.stringify({ pid: 3, host: "here", boot: "b1", begin: "77" }),
    ],
    [
      "a process from before the last boot, without a boot id",
      JSON.stringify({ pid: 3, startedAt: NOW - 2000 }),
    ],
  ])("takes over the lock of %s", async (_holder, text) => {
    const path = join(freshFolder(), "lock");
    writeFileSync(path, text);
    const release = await acquireLock(path, holder(2, [2, 3]));
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ pid: 2, startedAt: NOW });
    await release();
    expect(readdirSync(join(path, ".."))).toEqual([]);
  });

  test.each([
    ["a running process", JSON.stringify({ pid: 3, host: "here", boot: "b2", begin: "77" }), "(process 3)"],
    [
      "another machine",
      JSON.stringify({ pid: 2, host: "there" }),
      "is running on another machine (host there,",
    ],
  ])("does not take over the lock of %s", async (_holder, text, message) => {
    const path = join(freshFolder(), "lock");
    writeFileSync(path, text);
    await expect(acquireLock(path, holder(2, [2, 3]))).rejects.toMatchObject({
      code: "locked",
      message: expect.stringContaining(message),
    });
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  test("works on a file system without hard links", async () => {
    const path = join(freshFolder(), "lock");
    const link = async () => {
      throw Object.assign(new Error("no links"), { code: "EPERM" });
    };
    const release = await acquireLock(path, { ...holder(1, [1, 2]), link });
    await expect(acquireLock(path, { ...holder(2, [1, 2]), link })).rejects.toMatchObject({ code: "locked" });
    await release();
    expect(readdirSync(join(path, ".."))).toEqual([]);
  });

  test("removes temporary files of killed processes and keeps those of running ones", async () => {
    const folder = freshFolder();
    for (const name of ["lock.7.stale", "lock.8.new", "lock.3.new", "other.7.stale"])
      writeFileSync(join(folder, name), "");
    const release = await acquireLock(join(folder, "lock"), holder(2, [2, 3]));
    await release();
    expect(readdirSync(folder).sort()).toEqual(["lock.3.new", "other.7.stale"]);
  });

  test("gives a stale lock to only one of many processes", async () => {
    const path = join(freshFolder(), "lock");
    writeFileSync(path, JSON.stringify({ pid: 7 }));
    const pids = Array.from({ length: 20 }, (_, n) => n + 100);
    const results = await Promise.allSettled(pids.map((pid) => acquireLock(path, holder(pid, pids))));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });
});

describe("ExportState", () => {
  const exportQuery = { service: "http://x", by: "day", environments: [], format: "csv", gzip: false };

  const cursor = { begun: 5, complete: 100, changes: "c", files: [[0, 86_400_000]] } as Cursor;

  test("restores cursors for the same query", async () => {
    const path = join(freshFolder(), "a", "state.json");
    const state = await ExportState.open(path, exportQuery);
    await state.save("events", "game_1", cursor);
    expect((await ExportState.open(path, exportQuery)).cursor("events", "game_1")).toEqual(cursor);
    expect(state.cursor("events", "game_2")).toBeNull();
  });

  test("rejects a different query and names the differences", async () => {
    const path = join(freshFolder(), "state.json");
    await (await ExportState.open(path, exportQuery)).save("events", "game_1", cursor);
    await expect(ExportState.open(path, { ...exportQuery, by: "hour" })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining('--by was "day" and is now "hour"'),
    });
  });

  test.each([
    "",
    "{",
    "null",
    "[]",
    '{"version":3}',
    '{"version":1,"fingerprint":"x","query":{},"cursors":{"a":1}}',
  ])("rejects the invalid content %j and does not change it", async (text) => {
    const path = join(freshFolder(), "state.json");
    writeFileSync(path, text);
    await expect(ExportState.open(path, exportQuery)).rejects.toMatchObject({
      code: "conflict",
      message: `The state file ${path} is not valid. Nothing was exported`,
    });
    expect(readFileSync(path, "utf8")).toBe(text);
  });
});
