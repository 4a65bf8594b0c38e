/** The terminal views of journeys and archetypes. */
import { describe, expect, test } from "vitest";
import { responseBodies } from "../client/response-fixtures.ts";
import { script } from "../client/script.ts";
import { runCli } from "../harness.ts";

const env = { PLAYTEST_BASE_URL: "http://127.0.0.1:1", PLAYTEST_KEY: "k", PLAYTEST_GAME: "ember" };

describe("testers journey", () => {
  const { journey } = responseBodies.getTesterJourney as { journey: { entries: object[] } };
  const show = async (change: object, flags: string[] = []) => {
    const body = { journey: { ...journey, ...change } };
    const { transport } = script({ body });
    return (await runCli(["testers", "journey", "moth", ...flags], { env, transport, tty: true })).out;
  };

  test("shows the length of the sessions, and a timeline", async () => {
    const [entry] = journey.entries;
    expect(await show({ entries: [entry, entry] })).toMatchInlineSnapshot(`
      "Tester       moth
      Device       dev_1
      Game         Ember Hollow
      Sessions     1
      Active time  11m 40s
      Summary      moth plays longer each time.

      moth in Ember Hollow: session lengths
      Length of each session including inactive time, oldest first.

              │██████      ██████
              │██████      ██████
      10m 00s ┤██████      ██████
              │██████      ██████
              │██████      ██████
       5m 00s ┤██████      ██████
              │██████      ██████
              │██████      ██████
           0s └────────────────────────
               2026-02-25  2026-02-25

      ● 4d ago  First visit (0.9.0)
      │   12m 34s
      │   Friction: Difficulty spike in furnace (difficulty-spike:furnace), 1 insight
      │   Praise: Praise in cave (praise:cave), 1 insight
      ● 4d ago  First visit (0.9.0)
          12m 34s
          Friction: Difficulty spike in furnace (difficulty-spike:furnace), 1 insight
          Praise: Praise in cave (praise:cave), 1 insight
      "
    `);
  });
});

describe("testers archetypes", () => {
  const show = async (body: unknown) =>
    await runCli(["testers", "archetypes"], { env, transport: script({ body }).transport });

  test("shows each archetype with its testers", async () => {
    expect((await show(responseBodies.getTesterArchetypes)).out).toMatchInlineSnapshot(`
      "1 group of 6 testers with similar summaries · ember · production

        3  Gives up at the furnace  41m active
        examples of each: --wide
      "
    `);
  });

  test.each([
    ["requires_byo_key", "the account has no AI model"],
    ["insufficient_data", "3 testers have a summary; at least 5 are required"],
    ["api_error", "the request to the account's AI model failed"],
    ["another", "No archetypes: another."],
  ])("explains an empty list: %s", async (reason, text) => {
    const run = await show({ archetypes: [], testerCount: 3, modelId: "", reason });
    expect([run.code, run.out]).toEqual([0, ""]);
    expect(run.err).toContain(text);
  });
});
