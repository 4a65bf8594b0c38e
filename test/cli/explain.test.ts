/** explain: rows with and without a game, insights, exit codes and the words of answers. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tagMeanings } from "../../src/charts/meanings.ts";
import { findTerms } from "../../src/cli/commands/explain/words.ts";
import { cliErrors } from "../../src/cli/errors.ts";
import { playtestKeyStatuses } from "../../src/contract/batches.ts";
import { experimentStatuses } from "../../src/contract/experiments.ts";
import { insightTypes } from "../../src/contract/insights.ts";
import { scorecardRow } from "../../src/contract/scorecard.ts";
import { sessionStatuses } from "../../src/contract/sessions.ts";
import { verdictStatuses } from "../../src/contract/verdict.ts";
import { METRICS } from "../../src/scorecard/metrics.ts";
import {
  OUTSTANDING_FACTOR,
  RUN_THRESHOLD,
  TOTAL_THRESHOLD,
} from "../../src/server/analysis/rules/difficulty-spike.ts";
import { LEAVING_MS } from "../../src/server/analysis/rules/leaving.ts";
import { LONG_IDLE_MS } from "../../src/server/analysis/rules/long-idle.ts";
import { MIN_STAY_MS } from "../../src/server/analysis/rules/negative-moment.ts";
import { QUICK_MS } from "../../src/server/analysis/rules/positive-moment.ts";
import { MIN_SLOW_MS, STILL_MS } from "../../src/server/analysis/rules/stuck-point.ts";
import { script } from "../client/script.ts";
import { NOW, runCli, type TestService } from "../harness.ts";
import { startDemo } from "./demo.ts";

describe("without a service", () => {
  const explain = async (...words: string[]) => {
    const { transport, requests } = script({});
    const run = await runCli(["explain", ...words], { transport });
    expect(requests).toEqual([]);
    return run;
  };

  it("knows every exit code and error", async () => {
    for (const [code, { exit }] of Object.entries(cliErrors)) {
      for (const word of [code, String(exit)]) {
        const { out, code: ended } = await explain(word);
        expect([word, ended]).toEqual([word, 0]);
        expect(out).toContain(code);
        expect(out).toMatch(new RegExp(`^Exit code ${exit}\n`));
      }
    }
    expect((await explain("0")).out).toMatch(/^Exit code 0\n/);
  });

  it("knows every status and every type of insights", async () => {
    const words = [
      ...scorecardRow.shape.status.options,
      ...[...verdictStatuses].filter((word) => word !== "unclear"),
      ...[...sessionStatuses, ...experimentStatuses, ...playtestKeyStatuses],
      ...["keep running", "KEEP_RUNNING", "ship", "stop"],
    ];
    for (const word of words) expect([word, findTerms(word).length > 0]).toEqual([word, true]);
    for (const type of insightTypes) expect((await explain(type)).code).toBe(0);
    expect((await explain("failed")).out).toMatch(/Of a gate .+\n(.+\n)*Of a session /);
  });

  it("explains what a row counts without a game", async () => {
    for (const { name } of METRICS.filter((metric) => metric.name !== "friction")) {
      const { out, code } = await explain(name === "crash" ? name : `${name}:furnace`);
      expect([name, code]).toEqual([name, 0]);
      expect(out).toMatch(/^Counts /m);
      expect(out).not.toContain("AI model");
    }
    expect((await explain("difficulty-spike:furnace")).out).toMatch(/^Difficulty spike in furnace\n/);
  });

  it("counts who came back from the first session in the build, and not in any build", async () => {
    const { out } = await explain("return:day-1");
    expect(out.replaceAll(/\s+/g, " ")).toContain("24 to 48 hours after their first session in this build.");
  });

  it("states the thresholds of the rules", () => {
    const sec = (ms: number) => `${ms / 1000} seconds`;
    const minutes = (ms: number) => `${ms / 60_000} minutes`;
    const spike = tagMeanings["room difficulty-spike"] ?? "";
    expect(spike).toContain(`Failed ${RUN_THRESHOLD} times in a row`);
    expect(spike).toContain(`${RUN_THRESHOLD} unsuccessful attempts`);
    expect(spike).toContain(`failed ${TOTAL_THRESHOLD} times`);
    expect([OUTSTANDING_FACTOR, spike.includes("twice as many")]).toEqual([2, true]);
    expect(tagMeanings["room stuck-point"]).toContain(sec(STILL_MS));
    expect(tagMeanings["room stuck-point"]).toContain(minutes(MIN_SLOW_MS));
    expect(tagMeanings["room negative-moment"]).toContain(`within ${sec(LEAVING_MS)}`);
    expect(tagMeanings["room negative-moment"]).toContain(`after ${sec(MIN_STAY_MS)}`);
    expect(tagMeanings["room positive-moment"]).toContain(sec(QUICK_MS));
    expect(tagMeanings["room pacing-issue"]).toContain(minutes(LONG_IDLE_MS));
  });

  it("suggests the word that was meant", async () => {
    expect(await explain("inconclusiv")).toMatchObject({
      code: 2,
      err: expect.stringContaining("Did you mean inconclusive?"),
    });
    expect((await explain("foo")).err).toContain("hint: Name a row such as quit:furnace");
  });
});

describe("with the demo", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startDemo("studio");
  });
  afterAll(() => service.stop());

  const explain = async (...words: string[]) =>
    await runCli(["explain", ...words, "-g", "ember"], {
      ...{ service, tty: true, columns: 80, colors: 0, clock: { now: NOW } },
    });
  const readJson = async (line: string) =>
    JSON.parse((await runCli(line.split(" "), { service, clock: { now: NOW } })).out);

  it("explains each row of the comparison with its numbers", async () => {
    const { rows } = await readJson("builds compare -g ember --scorecard --json");
    expect(rows.length).toBeGreaterThan(20);
    for (const { id, status } of rows) {
      const { out, code } = await explain(id);
      expect([id, code]).toEqual([id, 0]);
      expect(out.replaceAll(/\s+/g, " ")).toContain(`: ${status}`);
      expect(out.split("\n").length).toBeLessThanOrEqual(26);
    }
    const { out } = await explain("quit:furnace");
    expect(out).toMatch(/^Quit in furnace: worse in 0\.9\.0\n/);
    expect(out).toMatch(/^0\.9\.0 +\d+\/\d+ new testers$/m);
    expect(out).toMatch(/^Sessions +sess_/m);
  });

  it("names the row that was meant", async () => {
    expect(await explain("quit:furnac")).toMatchObject({
      code: 44,
      err: expect.stringContaining("Did you mean"),
    });
  });

  it("explains an insight by its rule and its evidence", async () => {
    const { items } = await readJson(
      "insights list -g ember --tag difficulty-spike:furnace --limit 1 --json",
    );
    const [{ id }] = items;
    const { out } = await explain(id.slice(0, 12));
    expect(out).toMatch(/^Rule +Failed 5 times in a row/m);
    expect(out).toMatch(/^Evidence +\d+ failures in furnace/m);
    expect(out).toContain(`playtest insights get ${id}`);
  });
});
