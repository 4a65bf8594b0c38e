/** Every answer about players: the answer with its scope first, and one screen by default. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { displayWidth } from "../../src/render/text.ts";
import { NOW, runCli, type TestService } from "../harness.ts";
import { startDemo } from "./demo.ts";

const MAX_LINES = 25;
const MAX_WORDS = 150;
const COLUMNS = 80;

/** The commands that answer a question about players, with what their first line has. Lists have as many lines as rows. */
const answers: ReadonlyArray<readonly [line: string, first: RegExp]> = [
  ["status", /^✗ ember 0\.9\.0 vs 0\.8\.0: worse in \d ways/],
  ["status --build 0.8.0", /^. ember 0\.8\.0 vs 0\.7\.5: /],
  ["builds compare", /^✗ 0\.9\.0 vs 0\.8\.0: worse in \d ways, better in \d$/],
  ["builds compare 0.9.0 0.8.0", /^. 0\.8\.0 vs 0\.9\.0: /],
  ["gate", /^✗ GATE FAILED: 0\.9\.0 vs 0\.8\.0, /],
  ["gate 0.7.5 0.8.0", /^. (GATE|NOT)/],
  ["builds suggestions", /^ember 0\.9\.0 · production · /],
  ["builds dropoff latest", /^Ember Hollow 0\.9\.0, production: \d+ testers\. Most quit in furnace/],
  ["insights list --by tag", /^ember 0\.9\.0 · production · \d+ testers/],
  ["experiments compare lanterns", /^◐ KEEP RUNNING {3}lanterns leads/],
  ["builds trend", /^Testers without a crash: [\d.]+% in 0\.9\.0, [\d.]+% in 0\.8\.0 · ember · production$/],
  [
    "builds trend --tag quit:furnace",
    /^Quit in furnace: [\d.]+% in 0\.9\.0, not known in 0\.8\.0 · ember · production$/,
  ],
  [
    "builds blame bug-report:observatory",
    /^0\.9\.0, with \d+ of \d+ testers, is the first of these builds with Bugs: /,
  ],
  ["builds blame difficulty-spike:furnace", /^Difficulty spike in furnace .+ appeared in 0\.9\.0/],
  [
    "funnel room:dock room:gardens room:furnace --build latest",
    /^\d+ of \d+ testers reached room:furnace, \d+ were lost before it$/,
  ],
  [
    "funnel room:dock room:furnace --by build --from 2026-02-15",
    /^Funnel of \d+ testers · ember · production$/,
  ],
  ["testers retention", /^Testers who came back on day 1: [\d.]+% of 0\.9\.0, [\d.]+% of 0\.8\.0/],
  ["testers archetypes", /^\d+ groups of \d+ testers with similar summaries · ember · production$/],
  ["crashes list", /^ember: \d+ crashes in production, of \d+ of \d+ testers\.$/],
  ["explain quit:furnace", /^Quit in furnace: worse in 0\.9\.0$/],
  ["gate plan", /^With \d+ testers per build, /],
  ["gate plan 0.8.0 0.9.0", /^ember · production · 0\.8\.0 → 0\.9\.0: /],
];

let service: TestService;
beforeAll(async () => {
  service = await startDemo("studio");
});
afterAll(() => service.stop());

const show = async (line: string, more: object = {}) =>
  await runCli([...line.split(" "), "-g", "ember"], {
    ...{ service, tty: true, columns: COLUMNS, colors: 0, clock: { now: NOW } },
    ...more,
  });

describe.each(answers)("%s", (line, first) => {
  it("answers in its first line, on one screen", async () => {
    const { out, err, code } = await show(line);
    expect([0, 10, 11]).toContain(code);
    const lines = `${out}${err}`.trimEnd().split("\n");
    expect(lines[0]).toMatch(first);
    expect([lines.length, lines.length <= MAX_LINES]).toEqual([lines.length, true]);
    const words = out.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
    expect([words, words <= MAX_WORDS]).toEqual([words, true]);
    // A command stays on one line, so that it can be copied.
    const wide = lines.filter((text) => displayWidth(text) > COLUMNS && !/^`playtest [^`]+`\.?$/.test(text));
    expect(wide).toEqual([]);
    const said = lines.map((text) => text.trim()).filter((text) => text.length > 20 && !/[─●]/.test(text));
    expect(said.filter((text, at) => said.indexOf(text) !== at)).toEqual([]);
  });
});
