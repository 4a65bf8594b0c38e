/** One fact has one number, whichever command is asked. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BuildDropoff } from "../../src/contract/dropoff.ts";
import type { BuildsScorecard } from "../../src/contract/scorecard.ts";
import type { Trend } from "../../src/contract/trends.ts";
import type { Blame } from "../../src/gate/blame.ts";
import { runCli, type TestService } from "../harness.ts";
import { startDemo } from "./demo.ts";

const [A, B] = ["0.8.0", "0.9.0"];

let service: TestService;
let scorecard: BuildsScorecard;
beforeAll(async () => {
  service = await startDemo("studio");
  scorecard = (await service.get(`/api/v1/scorecards/ember?a=${A}&b=${B}`)).json;
});
afterAll(() => service.stop());

const run = async (line: string) =>
  (await runCli([...line.split(" "), "--game", "ember"], { service, tty: false })).out;
const ask = async <T>(line: string): Promise<T> => JSON.parse(await run(`${line} --json`));

function findRow(metric: string) {
  const row = scorecard.rows.find((one) => one.metric === metric);
  if (row === undefined) throw new Error(`The scorecard has no row ${metric}`);
  return row;
}

/** The counts of a row in both builds, of those who have the outcome and of all. */
const toCounts = ({ a, b }: ReturnType<typeof findRow>) => [a.count, a.total, b.count, b.total];

async function readTrend(tag: string) {
  const { points } = await ask<Trend>(`builds trend --tag ${tag}`);
  return [A, B].map((build) => points.find((point) => point.build === build));
}

it("a blame names equally long play only where that is compared", async () => {
  const show = async (id: string) =>
    (await runCli(["builds", "blame", id, "-g", "ember"], { service, tty: true })).out;
  expect(await show("crash")).toContain("among equally long play");
  expect(await show("quit:gardens")).not.toContain("equally long play");
});

describe("one number", () => {
  it.each(["friction:confusion:feedback-more", "quit:gardens", "crash"])(
    "for %s in a trend and a blame",
    async (metric) => {
      const counts = toCounts(findRow(metric));
      const points = await readTrend(metric);
      expect(points.flatMap((point) => [point?.withTag, point?.counted])).toEqual(counts);
      const { steps } = await ask<Blame>(`builds blame ${metric}`);
      const step = steps.find(({ a, b }) => a === A && b === B);
      const { testersA, totalA, testersB, totalB } = step?.counts ?? {};
      expect([testersA, totalA, testersB, totalB]).toEqual(counts);
    },
  );

  it("for a tag in suggestions", async () => {
    const [countA, totalA, countB, totalB] = toCounts(findRow("friction:confusion:feedback-more"));
    expect(await run(`builds suggestions ${B}`)).toContain(`${countB} of ${totalB} testers who answered`);
    expect(await run(`builds suggestions ${A} ${B}`)).toContain(
      `${countB} of ${totalB} testers who answered in ${B} and ${countA} of ${totalA} in ${A}`,
    );
  });

  it("for the testers of a game, with those who have no device", async () => {
    const { counts } = await ask<{ counts: { testerCount: number } }>("games get ember");
    const { total } = await ask<{ total: number }>("testers list --env all");
    const { testersInScope } = await ask<{ testersInScope: number }>("crashes list --env all");
    expect([total, testersInScope]).toEqual([counts.testerCount, counts.testerCount]);
  });

  it("for quits and completed rooms", async () => {
    const { rooms, testers } = await ask<BuildDropoff>(`builds dropoff ${B}`);
    expect(testers).toBe(scorecard.testers.onlyB + scorecard.testers.both);
    for (const { room, entered, completed, quit } of rooms) {
      const done = findRow(`completion:${room}`).b;
      expect([room, entered, completed]).toEqual([room, done.total, done.count]);
      const row = findRow(`quit:${room}`);
      // Of a new room, a comparison judges new testers only.
      if (!row.isNewRoom) expect([room, entered, quit]).toEqual([room, row.b.total, row.b.count]);
      const [, point] = await readTrend(`quit:${room}`);
      expect([room, point?.withTag, point?.counted]).toEqual([room, quit, entered]);
    }
  });

  it("for a rating and a yes-no question", async () => {
    const { fields } = scorecard;
    const find = (end: string) => fields.find(({ field }) => field.endsWith(end))?.field ?? "";
    const rating = findRow(`rating:${find("/fun")}`);
    const [before, after] = await readTrend(rating.metric);
    expect([before?.value, after?.value]).toEqual([rating.a.value, rating.b.value]);
    const { ratings } = await ask<{
      ratings: { fieldId: string; mean: number; testers: number; byValue: object }[];
    }>(`feedback list --build ${B} --env production`);
    const listed = (fieldId: string) => ratings.find((one) => one.fieldId === fieldId);
    expect([listed("fun")?.mean, listed("fun")?.testers]).toEqual([rating.b.value, rating.b.total]);
    expect(await run(`builds compare ${A} ${B}`)).toContain(
      `Rating of “How much fun was it?” ${rating.a.value?.toFixed(1)} → ${rating.b.value?.toFixed(1)}`,
    );
    const { count, total } = findRow(`yes:${find("/again")}`).b;
    expect(listed("again")?.byValue).toEqual({ yes: count, no: total - (count ?? 0) });
  });
});
