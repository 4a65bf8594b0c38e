/** Queries over an export of the demo studio return what the API returns: those in docs/guide/recipes.md, and further joins. */
import { readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { frictionTypes } from "../../src/contract/insights.ts";
import { deleteSession } from "../../src/server/erasure/delete-session.ts";
import { HOUR_MS } from "../../src/shared/time-units.ts";
import { readFences } from "../docs/fences.ts";
import { freshFolder, runCli, type TestService } from "../harness.ts";
import { startDemo } from "./demo.ts";

const page = readFileSync(join(import.meta.dirname, "..", "..", "docs", "guide", "recipes.md"), "utf8");
const queries = readFences(page).filter(({ language }) => language === "sql");

type Row = Record<string, unknown>;

let service: TestService;
let connection: DuckDBConnection;
let cwd: string;
beforeAll(async () => {
  service = await startDemo("studio");
  cwd = freshFolder();
  await exportFolder("events sessions insights feedback raw-events experiments heatmaps");
  connection = await (await DuckDBInstance.create()).connect();
  await connection.run(`SET file_search_path = '${cwd}'`);
  // The queries must not depend on the time zone of the machine.
  await connection.run("SET TimeZone = 'America/New_York'");
  await connection.run(queries[0]?.content ?? "");
});
afterAll(async () => {
  connection.closeSync();
  await service.stop();
});

/** Exports datasets by week, which takes fewer files than the days of the page. */
async function exportFolder(datasets: string): Promise<void> {
  const argv = ["export", ...datasets.split(" "), "--all-games", "--out", "exports", "--since-last"];
  const options = { service, cwd, clock: { now: service.clock.now } };
  const run = await runCli([...argv, "--by", "week", "--unpaced"], options);
  expect([run.code, run.err]).toEqual([0, expect.not.stringContaining("error")]);
}

const isInteger = (value: unknown) => typeof value === "string" && /^\d{1,15}$/.test(value);

/** Runs SQL. 64-bit integers are returned as text, so they are converted. */
async function runSql(sql: string): Promise<Row[]> {
  const rows = (await connection.runAndReadAll(sql)).getRowObjectsJson();
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, isInteger(value) ? Number(value) : value]),
    ),
  );
}

/** Runs the query of the page that contains a text. */
async function query(part: string): Promise<Row[]> {
  const found = queries.filter(({ content }) => content.includes(part));
  expect(found).toHaveLength(1);
  return await runSql(found[0]?.content ?? "");
}

/** Runs SQL with `$dataset` for the files of a dataset of the game `ember`. */
const joinFiles = async (sql: string) =>
  await runSql(
    sql.replaceAll(/\$(\w+)/g, (_, name) => `read_parquet('exports/${name}/game=ember/**/*.parquet')`),
  );

const get = async (path: string) => (await service.get(`/api/v1/${path}`)).json;

async function findBuilds(game: string, env = "production"): Promise<string[]> {
  const { items } = await get(`builds/${game}?env=${env}&limit=100`);
  return items.map(({ version }: { version: string }) => version);
}

const roundTo = (digits: number, value: number) => Math.round(value * 10 ** digits) / 10 ** digits;
const pick = (row: Row, ...names: string[]) => names.map((name) => row[name]);

describe("queries of the page", () => {
  test("testers per tag, as builds are compared and gated", async () => {
    const rows = await query("testers_with_tag");
    for (const game of ["ember", "tidepool"]) {
      const builds = await findBuilds(game);
      for (const [index, a] of builds.entries()) {
        const { buildA } = await get(
          `builds/compare?game=${game}&a=${a}&b=${builds[index + 1] ?? builds[0]}`,
        );
        const own = rows.filter((row) => row.game === game && row.build === a);
        const counted = buildA.byTag.map((entry: Row) => [
          ...pick(entry, "tag", "testersWithTag", "testersInBatch", "insightCount"),
          roundTo(1, (100 * Number(entry.testersWithTag)) / Number(entry.testersInBatch)),
        ]);
        const found = own.map((row) =>
          pick(row, "tag", "testers_with_tag", "testers", "insights", "percent"),
        );
        expect([a, found.sort()]).toEqual([a, counted.sort()]);
      }
    }
    expect(rows.length).toBeGreaterThan(20);
  });

  test("retention by build", async () => {
    const { cohorts } = await get("retention/ember");
    const expected = cohorts.flatMap(({ build, days }: { build: string; days: Row[] }) =>
      days
        .filter(({ day, eligible }) => day === 1 && eligible !== 0)
        .map(({ eligible, retained, rate }) => [build, eligible, retained, roundTo(1, 100 * Number(rate))]),
    );
    const rows = await query("first_sessions");
    expect(rows.map((row) => pick(row, "build", "eligible", "day1_retained", "day1_percent"))).toEqual(
      expected.sort(),
    );
    expect(rows.length).toBeGreaterThan(1);
  });

  test("a funnel by tester and build", async () => {
    const { groups } = await get("funnels/ember?steps=room_enter,player_death,level_completed&by=build");
    const expected = groups
      .map(({ key, steps }: { key: string; steps: { testers: number }[] }) => [
        ...[key, ...steps.map(({ testers }) => testers)],
      ])
      .filter(([, first]: number[]) => first !== 0);
    const rows = await query("AS completed");
    expect(rows.map((row) => pick(row, "build", "entered", "died", "completed"))).toEqual(expected.sort());
    expect(rows.length).toBeGreaterThan(1);
  });

  test("averages of ratings", async () => {
    const rows = await query("average_rating");
    const { ratings } = await get("feedback/ember");
    const expected = ratings
      .filter(({ kind }: Row) => kind === "rating-1-5")
      .map((row: Row) => [
        ...pick(row, "build", "formId", "fieldId", "answers", "testers"),
        roundTo(2, Number(row.mean)),
      ]);
    const found = rows.map((row) =>
      pick(row, "build", "formId", "fieldId", "answers", "testers", "average_rating"),
    );
    expect(found).toEqual(expected.sort());
    expect(rows.length).toBeGreaterThan(1);
  });

  test("cells of a heatmap of deaths", async () => {
    const rows = await query("AS cell_x");
    const { rooms } = await get("heatmaps/ember?env=production&source=all&event=player_death");
    const cells = rooms.flatMap(({ room, cells: all }: { room: string; cells: Row[] }) => {
      const counts = rows.filter((row) => row.room === room).map(({ deaths }) => Number(deaths));
      const maxLog = Math.log(1 + Math.max(...counts));
      return all.map(({ x, y, intensity }) => [
        ...[room, x, y, Math.round(Math.exp(Number(intensity) * maxLog) - 1)],
      ]);
    });
    const found = rows.map((row) => pick(row, "room", "cell_x", "cell_y", "deaths"));
    expect(found.sort()).toEqual(cells.sort());
    expect(rows.length).toBeGreaterThan(50);
  });

  test("the types of insights that count as friction", () => {
    expect(page).toContain(`WHERE type IN (${frictionTypes.map((type) => `'${type}'`).join(", ")})`);
    expect(page).toContain(`types = "${frictionTypes.join(" ")}".split()`);
  });

  test("every other query has rows, except the one for files with events of deleted sessions", async () => {
    for (const { content, info } of queries.slice(1))
      expect([content, (await runSql(content)).length > 0]).toEqual([content, info !== "empty"]);
  });
});

describe("further joins", () => {
  test("retention by variant", async () => {
    const rows = await joinFiles(
      `SELECT game, experiment, variant, playerCount,
                round(100.0 * retention1Retained / nullif(retention1Eligible, 0), 1) AS variant_day1_percent,
                round(100.0 * retention7Retained / nullif(retention7Eligible, 0), 1) AS variant_day7_percent
         FROM $experiments
         ORDER BY game, experiment, variant`,
    );
    expect(rows.length).toBeGreaterThan(1);
    const { experiments } = await get("games/ember/experiments");
    for (const { experiment, variant, playerCount, ...row } of rows) {
      const { id } = experiments.find(({ name }: { name: string }) => name === experiment);
      const { variants } = (await get(`experiments/${id}/comparison`)).comparison;
      const same = variants.find(({ key }: { key: string }) => key === variant);
      const percent = (day: number) => {
        const { eligible, retained } = same.retention.find((one: { day: number }) => one.day === day);
        return eligible === 0 ? null : roundTo(1, (100 * retained) / eligible);
      };
      expect([playerCount, row.variant_day1_percent, row.variant_day7_percent]).toEqual([
        ...[same.playerCount, percent(1), percent(7)],
      ]);
    }
  });

  test("testers and sessions of builds over all environments", async () => {
    const rows = await joinFiles(
      `SELECT build, count(*) AS sessions, count(DISTINCT coalesce("deviceId", id)) AS testers,
         count(DISTINCT environment) AS environments FROM $sessions GROUP BY ALL`,
    );
    for (const build of await findBuilds("ember", "all")) {
      const { rollup } = await get(`builds/ember/${build}`);
      const { sessionCount: sessions, testerCount: testers, environments } = rollup;
      const expected = { build, sessions, testers, environments: environments.length };
      expect(rows.filter((row) => row.build === build)).toEqual([expected]);
    }
  });

  test("events by build, environment and name", async () => {
    const rows = await joinFiles(
      `SELECT build, environment, event, sum(count)::INT AS count FROM $events GROUP BY ALL`,
    );
    expect(rows.filter(({ environment }) => environment === null)).toEqual([]);
    for (const build of await findBuilds("ember", "all")) {
      for (const env of new Set(rows.map(({ environment }) => environment))) {
        const { byName } = await get(`events/ember?build=${build}&env=${env}`);
        const counted = rows.filter((row) => row.build === build && row.environment === env);
        expect(Object.fromEntries(counted.map(({ event, count }) => [event, count]))).toEqual(byName);
      }
    }
  });

  test("cells of heatmaps of all positions", async () => {
    const rows = await joinFiles(`SELECT room, x, y, intensity FROM $heatmaps`);
    const { rooms } = await get("heatmaps/ember?source=all");
    const cells = rooms.flatMap(({ room, cells: all }: { room: string; cells: Row[] }) =>
      all.map((cell) => [room, ...pick(cell, "x", "y", "intensity")]),
    );
    expect(rows.map((row) => pick(row, "room", "x", "y", "intensity")).sort()).toEqual(cells.sort());
    expect(rows.length).toBeGreaterThan(50);
  });

  test("the room and the evidence of each insight", async () => {
    const rows = await joinFiles(
      `SELECT id, room, tag, "evidenceIds" FROM $insights WHERE tag LIKE 'difficulty-spike:%' ORDER BY id`,
    );
    expect(rows.length).toBeGreaterThan(5);
    for (const { id, room, tag, evidenceIds } of rows.slice(0, 10)) {
      const { events } = await get(`insights/${id}`);
      expect(tag).toBe(`difficulty-spike:${room}`);
      expect(JSON.parse(String(evidenceIds))).toEqual(
        expect.arrayContaining(events.map((event: { id: string }) => event.id)),
      );
    }
  });
});

test("the steps that remove events of deleted sessions from the files", async () => {
  const countEvents = async () => {
    const rows = await runSql("SELECT sessionId, count(*) AS events FROM raw_events GROUP BY ALL");
    return new Map(rows.map(({ sessionId, events }) => [String(sessionId), Number(events)]));
  };
  const before = await countEvents();
  // A session of the oldest file: the file of the current week is written again by each export.
  const [oldest] = await runSql(
    "SELECT sessionId FROM raw_events WHERE game = 'ember' ORDER BY receivedAt, sessionId LIMIT 1",
  );
  const id = String(oldest?.sessionId);
  const game = await service.addGame("ember");
  expect(await deleteSession(service.service, service.accountId, { game_id: game, id })).not.toBeNull();
  service.clock.now += HOUR_MS;
  await exportFolder("sessions raw-events");
  expect(await countEvents()).toEqual(before);
  const files = await query("file_to_remove");
  expect(files).toHaveLength(1);
  for (const { file_to_remove: file } of files) rmSync(resolve(cwd, String(file)));
  await exportFolder("sessions raw-events");
  before.delete(id);
  expect(await countEvents()).toEqual(before);
  expect(await query("file_to_remove")).toEqual([]);
});
