/** export: joins over the files in DuckDB give the same figures as the API. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { frictionTypes } from "../../src/contract/insights.ts";
import { queryDuckDb } from "../export/export-fixtures.ts";
import { freshFolder, runCli, type TestService } from "../harness.ts";
import { startDemo } from "./demo.ts";

const GAME = "ember";
let service: TestService;
let folder: string;
beforeAll(async () => {
  service = await startDemo("studio");
  folder = join(freshFolder(), "x");
  const clock = { now: service.clock.now };
  const line = `export sessions events insights feedback heatmaps -g ${GAME} --out ${folder}/`;
  const run = await runCli(line.split(" "), { service, clock });
  expect([run.code, run.err]).toEqual([0, expect.not.stringContaining("error")]);
}, 60_000);
afterAll(async () => await service.stop());

const table = (dataset: string) => `read_parquet('${folder}/${dataset}/**/*.parquet', union_by_name = true)`;
const query = async (sql: string) =>
  await queryDuckDb(sql.replaceAll(/\$(\w+)/g, (_, dataset: string) => table(dataset)));
const get = async (path: string) => (await service.get(path)).json;

/** A tester is a device, or a session without a device. */
const TESTER = (session: string) => `coalesce("deviceId", ${session})`;

async function findBuilds(): Promise<string[]> {
  const { items } = await get(`/api/v1/builds/${GAME}?env=all&limit=100`);
  return items.map(({ version }: { version: string }) => version);
}

type Row = Record<string, unknown>;

/** The rows of a build, without the build. */
const byVersion = (rows: readonly Row[], build: string): Row[] =>
  rows.filter((row) => row.build === build).map(({ build: _build, ...row }) => row);

describe("joins in DuckDB give the figures of the API", () => {
  test("testers and insights per friction tag, as builds are compared and gated", async () => {
    const types = frictionTypes.map((type) => `'${type}'`).join(", ");
    const tags = await query(`
      SELECT i.build, tag, count(DISTINCT ${TESTER('i."sessionId"').replace('"deviceId"', 'i."deviceId"')})::INT AS testers, count(*)::INT AS insights
      FROM $insights i JOIN $sessions s ON s.id = i."sessionId"
      WHERE s.environment = 'production' AND type IN (${types})
      GROUP BY ALL ORDER BY tag`);
    const testers = await query(
      `SELECT build, count(DISTINCT ${TESTER("id")})::INT AS testers FROM $sessions WHERE environment = 'production' GROUP BY ALL`,
    );
    const builds = await findBuilds();
    let compared = 0;
    for (const [index, a] of builds.entries()) {
      const b = builds[index + 1] ?? builds[0] ?? a;
      const { buildA } = await get(`/api/v1/builds/compare?game=${GAME}&a=${a}&b=${b}`);
      expect([a, byVersion(testers, a)]).toEqual([a, [{ testers: buildA.testersInBatch }]]);
      const counted = buildA.byTag.map((entry: Record<string, unknown>) => ({
        ...{ tag: entry.tag, testers: entry.testersWithTag, insights: entry.insightCount },
      }));
      expect(byVersion(tags, a)).toEqual(counted);
      compared += counted.length;
    }
    expect(compared).toBeGreaterThan(20);
  });

  test("testers and sessions of builds over all environments", async () => {
    const rows = await query(
      `SELECT build, count(*)::INT AS sessions, count(DISTINCT ${TESTER("id")})::INT AS testers, count(DISTINCT environment)::INT AS environments FROM $sessions GROUP BY ALL`,
    );
    for (const build of await findBuilds()) {
      const { rollup } = await get(`/api/v1/builds/${GAME}/${build}`);
      const { sessionCount: sessions, testerCount: testers, environments } = rollup;
      expect(byVersion(rows, build)).toEqual([{ sessions, testers, environments: environments.length }]);
    }
  });

  test("events by build, environment and name", async () => {
    const rows = await query(
      `SELECT build, environment, event, sum(count)::INT AS count FROM $events GROUP BY ALL ORDER BY event`,
    );
    expect(rows.filter(({ environment }) => environment === null)).toEqual([]);
    for (const build of await findBuilds()) {
      for (const env of new Set(rows.map(({ environment }) => environment))) {
        const { byName } = await get(`/api/v1/events/${GAME}?build=${build}&env=${env}`);
        const counted = byVersion(rows, build).filter(({ environment }) => environment === env);
        expect(Object.fromEntries(counted.map(({ event, count }) => [event, count]))).toEqual(byName);
      }
    }
  });

  test("cells of heatmaps", async () => {
    const rows = await query(`SELECT room, x, y, intensity FROM $heatmaps ORDER BY room, y, x`);
    const { rooms } = await get(`/api/v1/heatmaps/${GAME}?source=all`);
    const cells = rooms.flatMap(({ room, cells: all }: { room: string; cells: object[] }) =>
      all.map((cell) => ({ room, ...cell })),
    );
    const sorted = cells.sort((a: { room: string }, b: { room: string }) =>
      a.room < b.room ? -1 : a.room > b.room ? 1 : 0,
    );
    expect(rows.map(({ x, y, ...row }) => ({ ...row, x: Number(x), y: Number(y) }))).toEqual(sorted);
    expect(rows.length).toBeGreaterThan(50);
  });

  test("averages of feedback", async () => {
    const rows = await query(`
      SELECT f.build, "formId", "fieldId", count(*)::INT AS answers,
        count(DISTINCT coalesce(s."deviceId", s.id))::INT AS testers, avg(value::INT) AS mean
      FROM $feedback f JOIN $sessions s ON s.id = f."sessionId"
      WHERE kind = 'rating-1-5' GROUP BY ALL ORDER BY f.build, "formId", "fieldId"`);
    const { ratings } = await get(`/api/v1/feedback/${GAME}?env=all`);
    const expected = ratings
      .filter(({ kind }: { kind: string }) => kind === "rating-1-5")
      .map(({ build, formId, fieldId, answers, testers, mean }: Record<string, unknown>) => ({
        ...{ build, formId, fieldId, answers, testers, mean },
      }));
    const key = (row: Record<string, unknown>) => JSON.stringify([row.build, row.formId, row.fieldId]);
    expect(rows).toEqual(expected.sort((a: never, b: never) => (key(a) < key(b) ? -1 : 1)));
    expect(rows.length).toBeGreaterThan(1);
  });

  test("the room and the evidence of each insight", async () => {
    const rows = await query(
      `SELECT id, room, tag, "evidenceIds" FROM $insights WHERE tag LIKE 'difficulty-spike:%'`,
    );
    expect(rows.length).toBeGreaterThan(5);
    for (const { id, room, tag, evidenceIds } of rows.slice(0, 10)) {
      const { events } = await get(`/api/v1/insights/${id}`);
      expect(tag).toBe(`difficulty-spike:${room}`);
      expect(JSON.parse(String(evidenceIds))).toEqual(
        expect.arrayContaining(events.map((event: { id: string }) => event.id)),
      );
    }
  });
});
