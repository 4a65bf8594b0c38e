/** Folders of exports are opened by programs that read folders of data, as they are. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import polars from "nodejs-polars";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { queryDuckDb, readFiles, sendSampleSessions } from "../export/export-fixtures.ts";
import { freshFolder, NOW, runCli, startTestService, type TestService } from "../harness.ts";
import { createEvents, sendTelemetry } from "../server/telemetry-helpers.ts";

/** One of them looks like a number. */
const GAMES = ["2048", "ember", "tide"];

let service: TestService;
let cwd: string;
beforeAll(async () => {
  service = await startTestService();
  await sendSampleSessions(service);
  await service.addGame("2048");
  await sendTelemetry(service, { gameId: "2048", startedAt: NOW, events: createEvents(["jump"], NOW) });
  cwd = freshFolder();
  for (const format of ["parquet", "csv", "ndjson"]) {
    const run = await exportFolder(`sessions events handles --all-games --format ${format} --out ${format}`);
    expect([run.code, run.err]).toEqual([0, expect.any(String)]);
  }
});
afterAll(async () => await service.stop());

async function exportFolder(line: string) {
  return await runCli(["export", ...line.split(" "), "--unpaced"], { service, cwd, clock: { now: NOW } });
}

const countSessions = async () => (await service.get("/api/v1/sessions?limit=1")).json.total as number;

describe("a folder", () => {
  test("has nothing but data in the folders of datasets, and everything else in one that readers skip", () => {
    const folder = join(cwd, "parquet");
    expect(readdirSync(folder)).toEqual(["_playtest", "events", "handles", "sessions"]);
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
    const data = names.filter((name) => !name.startsWith("_") && statSync(join(folder, name)).isFile());
    expect(data.length).toBeGreaterThan(10);
    for (const name of data)
      expect(name).toMatch(/^((sessions|events).game=\w+.day=[\d-]+|handles.game=\w+).data\.parquet$/);
  });

  test("is opened by DuckDB, with one column for the game", async () => {
    const readers = {
      parquet: "read_parquet('$/**/*.parquet', hive_types_autocast = false)",
      csv: "read_csv('$/**/*.csv', hive_types_autocast = false)",
      ndjson: "read_json('$/**/*.ndjson', hive_types_autocast = false)",
    };
    const total = await countSessions();
    for (const [format, reader] of Object.entries(readers)) {
      const source = reader.replace("$", join(cwd, format, "sessions"));
      const [found] = await queryDuckDb(
        `SELECT count(*)::INT AS n, count(DISTINCT id)::INT AS ids, list_sort(list(DISTINCT game)) AS games FROM ${source}`,
      );
      expect([format, found]).toEqual([format, { n: total, ids: total, games: GAMES }]);
      const columns = await queryDuckDb(`DESCRIBE SELECT * FROM ${source}`);
      const names = columns.map(({ column_name }) => column_name);
      expect(names.filter((name) => /^(game|day)/.test(String(name)))).toEqual(["day", "game"]);
    }
  });

  test("is opened by Polars", async () => {
    const frame = await polars.scanParquet(join(cwd, "parquet", "sessions")).collect();
    expect(frame.height).toBe(await countSessions());
    expect(new Set(frame.getColumn("game").toArray())).toEqual(new Set(GAMES));
    expect(frame.columns.filter((name) => name === "game")).toHaveLength(1);
  });

  const python = process.env.PLAYTEST_PYTHON ?? "python3";
  const hasReaders = spawnSync(python, ["-c", "import pandas, polars, pyarrow"]).status === 0;
  test.runIf(hasReaders)("is opened by pandas, pyarrow and Polars in Python", async () => {
    const script = join(import.meta.dirname, "../export/read_folder.py");
    const rows = await countSessions();
    const { stdout, stderr } = spawnSync(python, [script, join(cwd, "parquet/sessions")], {
      encoding: "utf8",
    });
    const found = JSON.parse(stdout || `"${stderr}"`);
    for (const reader of ["pandas", "pyarrow", "polars"]) {
      expect([reader, found[reader]]).toMatchObject([reader, { rows, games: GAMES }]);
      const paths = found[reader].columns.filter((name: string) => /^(game|day)$/.test(name));
      expect([reader, paths.sort()]).toEqual([reader, ["day", "game"]]);
    }
  });

  const hasRclone = spawnSync("rclone", ["version"]).status === 0;
  test.runIf(hasRclone)("is copied by the command of the page, without what belongs to the export", () => {
    const page = readFileSync(join(import.meta.dirname, "../../docs/guide/export.md"), "utf8");
    const [command = ""] = /^rclone .*$/m.exec(page) ?? [];
    const copy = command.replace("sync exports remote:bucket/playtest", "sync parquet copied");
    expect(copy).not.toBe(command);
    const { status, stderr } = spawnSync("sh", ["-c", copy], { cwd, encoding: "utf8" });
    expect([status, stderr]).toEqual([0, expect.not.stringContaining("ERROR")]);
    const isData = ([name]: readonly [string, string]) => !name.startsWith("_");
    const data = Object.fromEntries(Object.entries(readFiles(join(cwd, "parquet"))).filter(isData));
    expect(readFiles(join(cwd, "copied"))).toEqual(data);
  });

  test("with files of an earlier version is refused with a way out, and not changed", async () => {
    mkdirSync(join(cwd, "old/sessions/game=ember"), { recursive: true });
    writeFileSync(join(cwd, "old/sessions/game=ember/day=2026-02-26.parquet"), "old");
    writeFileSync(join(cwd, "old/sessions/game=ember/day=2026-02-26.parquet.manifest.json"), "{}");
    const before = readFiles(join(cwd, "old"));
    const run = await exportFolder("sessions -g ember --out old");
    expect([run.code, run.err]).toEqual([
      3,
      expect.stringContaining("has files of an earlier version, such as day=2026-02-26.parquet"),
    ]);
    expect(run.err).toContain("Set --out to another folder, or delete this one");
    expect(readFiles(join(cwd, "old"))).toEqual(before);
  });

  test("without its manifests is refused, because its query is not known", async () => {
    expect((await exportFolder("sessions -g ember --out copy")).code).toBe(0);
    rmSync(join(cwd, "copy/_playtest"), { recursive: true });
    const run = await exportFolder("sessions -g ember --by week --out copy --since-last");
    expect([run.code, run.err]).toEqual([3, expect.stringContaining("_playtest has no manifests of it")]);
    expect(readdirSync(join(cwd, "copy/sessions/game=ember")).join()).not.toContain("week=");
  });

  test("is written anew with another query after its data was deleted", async () => {
    expect((await exportFolder("sessions -g ember --out again")).code).toBe(0);
    rmSync(join(cwd, "again/sessions"), { recursive: true });
    expect((await exportFolder("sessions -g ember --by week --out again")).code).toBe(0);
    expect((await exportFolder("sessions -g ember --by week --out again")).code).toBe(0);
    expect(readdirSync(join(cwd, "again/_playtest/sessions/game=ember")).join()).not.toContain("day=");
  });
});
