/** What people see of a journey and of archetypes. */
import { describe, expect, test } from "vitest";
import { answers } from "../client/answers.ts";
import { script } from "../client/script.ts";
import { runCli } from "../harness.ts";

const env = { PLAYTEST_BASE_URL: "http://127.0.0.1:1", PLAYTEST_KEY: "k", PLAYTEST_GAME: "ember" };

describe("testers journey", () => {
  const { journey } = answers.getTesterJourney as { journey: { entries: object[] } };
  const shown = async (change: object, flags: string[] = []) => {
    const body = { journey: { ...journey, ...change } };
    const { transport } = script({ body });
    return (await runCli(["testers", "journey", "moth", ...flags], { env, transport, tty: true })).out;
  };

  test("is a timeline with the trend", async () => {
    const [entry] = journey.entries;
    expect(await shown({ entries: [entry, entry] })).toMatchInlineSnapshot(`
      "Tester       moth
      Device       dev_1
      Game         Ember Hollow
      Sessions     1
      Active play  11m 40s
      Engagement   rising ▲
      Summary      moth plays longer each time.

      moth in Ember Hollow: play time a session
      From start to end of each session, in order; the API tells active time over all
      of them alone.

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
      │   friction difficulty-spike:furnace (1)
      │   praise praise:cave (1)
      ● 4d ago  First visit (0.9.0)
          12m 34s
          friction difficulty-spike:furnace (1)
          praise praise:cave (1)
      "
    `);
  });

  test.each([
    ["rising", "rising ▲"],
    ["flat", "flat ="],
    ["declining", "declining ▼"],
    ["insufficient_data", "not known yet: it takes 4 sessions"],
    ["sideways", "sideways"],
  ])("tells the trend %s in words", async (engagementTrend, words) => {
    expect(await shown({ engagementTrend })).toContain(words);
    expect(await shown({ engagementTrend }, ["--plain"])).not.toMatch(/[▲▼●│█]/);
  });
});

describe("testers archetypes", () => {
  const shown = async (body: unknown) =>
    await runCli(["testers", "archetypes"], { env, transport: script({ body }).transport });

  test("are sections with their testers", async () => {
    expect((await shown(answers.getTesterArchetypes)).out).toMatchInlineSnapshot(`
      "Gives up at the furnace (3 testers)
        2.5 sessions and 41.2 active minutes each.
        Friction of at least half: difficulty-spike:furnace
          moth: Fails at the furnace and leaves.
      "
    `);
  });

  test.each([
    ["requires_byo_key", "the account has no model of its own"],
    ["insufficient_data", "3 of the 5 testers with summaries that it takes"],
    ["api_error", "the account's model failed"],
    ["another", "No archetypes: another."],
  ])("where there are none, says why: %s", async (reason, words) => {
    const run = await shown({ archetypes: [], testerCount: 3, modelId: "", reason });
    expect([run.code, run.out]).toEqual([0, ""]);
    expect(run.err).toContain(words);
  });
});
