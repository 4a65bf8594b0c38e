/** The queries in docs/data.md return what the API returns, for an export of the demo studio. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readFences } from "../docs/fences.ts";
import { freshFolder, runCli, type TestService } from "../harness.ts";
import { startDemo } from "./demo.ts";

const page = readFileSync(join(import.meta.dirname, "..", "..", "docs", "data.md"), "utf8");
const queries = readFences(page).filter(({ language }) => language === "sql");

type Row = Record<string, unknown>;

interface Variant {
  readonly key: string;
  readonly playerCount: number;
  readonly retention: readonly {
    readonly day: number;
    readonly eligible: number;
    readonly retained: number;
  }[];
}

let service: TestService;
let connection: DuckDBConnection;
beforeAll(async () => {
  service = await startDemo("studio");
  const cwd = freshFolder();
  const datasets = ["events", "sessions", "insights", "experiments", "heatmaps"];
  const argv = ["export", ...datasets, "--all-games", "--out", "exports", "--unpaced"];
  const run = await runCli(argv, { service, cwd, clock: { now: service.clock.now } });
  expect(run.code, run.err).toBe(0);
  connection = await (await DuckDBInstance.create()).connect();
  await connection.run(`SET file_search_path = '${cwd}'`);
  const [views] = queries;
  await connection.run(views?.content ?? "");
}, 60_000);
afterAll(async () => {
  connection.closeSync();
  await service.stop();
});

/** Runs the query of the page that contains a text. */
async function query(part: string): Promise<Row[]> {
  const found = queries.filter(({ content }) => content.includes(part));
  expect(found).toHaveLength(1);
  return (await connection.runAndReadAll(found[0]?.content ?? "")).getRowObjectsJson();
}

/** All items of a list command. */
async function list(line: string): Promise<Row[]> {
  const run = await runCli([...line.split(" "), "--all", "--json"], { service });
  return JSON.parse(run.out).items;
}

test("sessions per tag", async () => {
  const rows = await query("sessions_with_tag");
  expect(rows.length).toBeGreaterThan(5);
  for (const game of new Set(rows.map((row) => String(row.game)))) {
    const sessions = await list(`sessions list --game ${game}`);
    const builds = new Map(sessions.map(({ id, metadata }) => [id, (metadata as Row).gameVersion]));
    const insights = await list(`insights list --game ${game}`);
    for (const row of rows.filter((one) => one.game === game)) {
      const found = insights.filter(
        ({ tag, sentiment, sessionId }) =>
          tag === row.tag && sentiment === "negative" && builds.get(sessionId) === row.build,
      );
      const withTag = new Set(found.map(({ sessionId }) => sessionId)).size;
      const all = [...builds.values()].filter((build) => build === row.build).length;
      expect([Number(row.insights), Number(row.sessions_with_tag), row.percent_of_sessions]).toEqual([
        ...[found.length, withTag, Math.round((1000 * withTag) / all) / 10],
      ]);
    }
  }
});

test("events in order", async () => {
  const rows = await query("AS completions");
  expect(rows.length).toBeGreaterThan(1);
  for (const { build, entries, deaths, completions } of rows) {
    const { byName } = (await service.get(`/api/v1/events/ember?build=${build}`)).json as { byName: Row };
    expect([entries, deaths, completions].map((count) => Number(count ?? 0))).toEqual(
      ["room_enter", "player_death", "level_completed"].map((name) => byName[name] ?? 0),
    );
  }
});

test("retention", async () => {
  const rows = await query("day1_percent");
  expect(rows.length).toBeGreaterThan(1);
  for (const { experimentId, variant, playerCount, ...row } of rows) {
    const path = `/api/v1/experiments/${experimentId}/comparison`;
    const { variants } = (await service.get(path)).json.comparison as { variants: Variant[] };
    const same = variants.find(({ key }) => key === variant);
    const percent = (day: number) => {
      const { eligible = 0, retained = 0 } = same?.retention.find((one) => one.day === day) ?? {};
      return eligible === 0 ? null : Math.round((1000 * retained) / eligible) / 10;
    };
    expect([Number(playerCount), row.day1_percent, row.day2_percent, row.day7_percent]).toEqual([
      ...[same?.playerCount, percent(1), percent(2), percent(7)],
    ]);
  }
});

test("every query has rows", async () => {
  for (const { content } of queries.slice(1))
    expect((await connection.runAndReadAll(content)).currentRowCount, content).toBeGreaterThan(0);
});
