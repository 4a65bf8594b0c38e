/** Feedback in forms: ratings on both sides of their thresholds, and texts by sentiment. */
import { describe, expect, it } from "vitest";
import { analyze } from "../../../../src/server/analysis/analyst.ts";
import type { FeedbackAnswer } from "../../../../src/server/analysis/recorded-session.ts";
import { classifySentiment, looksEnglish } from "../../../../src/server/analysis/sentiment.ts";
import { expectValid, tagsOf, toRecordedSession } from "../recorded-sessions.ts";

const answer = (kind: string, value: string, more: Partial<FeedbackAnswer> = {}): FeedbackAnswer => ({
  id: "resp_1",
  fieldId: "fun",
  label: "How was it?",
  kind,
  value,
  ...more,
});

/** The findings in the given answers, without the session summary. */
const found = (...feedback: FeedbackAnswer[]) => {
  const findings = analyze(toRecordedSession([], { feedback }));
  for (const finding of findings) expectValid(finding);
  return findings.filter(({ type }) => type !== "session-summary");
};

describe("ratings", () => {
  it.each([
    ["1", "negative-moment", 0.9],
    ["2", "negative-moment", 0.7],
    ["4", "praise", 0.7],
    ["5", "praise", 0.9],
  ])("%s of 5 is a %s", (value, type, confidence) => {
    const [one] = found(answer("rating-1-5", value));
    expect(one).toMatchObject({
      type,
      confidence,
      tag: `${type}:feedback-fun`,
      title: `Rated ${value} of 5 for “How was it?”`,
    });
    expect(one?.evidence).toContain("resp_1");
  });

  it.each(["3", "0", "6", "", "1.5", "five"])("ignores %j", (value) => {
    expect(found(answer("rating-1-5", value))).toEqual([]);
  });

  it("in the same field produce one finding, the strongest one", () => {
    expect(found(answer("rating-1-5", "2"), answer("rating-1-5", "1", { id: "resp_2" }))).toMatchObject([
      { title: "Rated 1 of 5 for “How was it?”" },
    ]);
  });
});

describe("texts", () => {
  it.each([
    ["The jumping is too hard and frustrating", "negative-moment"],
    ["not good at all", "negative-moment"],
    ["I don't like the camera", "negative-moment"],
    ["terrible, boring, unfair", "negative-moment"],
    ["I loved it!", "praise"],
    ["Sweet little game, loved the boss", "praise"],
    ["I had no idea where to go", "confusion"],
    ["The map is confusing", "confusion"],
    ["I didn’t understand the lever", "confusion"],
  ])("%j is a %s", (value, type) => {
    expect(tagsOf(found(answer("short-text", value)))).toEqual([`${type}:feedback-fun`]);
    expect(tagsOf(found(answer("long-text", value)))).toEqual([`${type}:feedback-fun`]);
  });

  it.each([
    "The door is red",
    "",
    "Das war die Hölle und der Boss ist nicht gut",
    "Es war toll aber die Musik nervt",
    "C'est très mauvais et je déteste le boss",
    "Это было ужасно",
    "ひどいゲーム",
    "The second level has a long corridor with many doors and pillars and at its end there was a nice lamp on the wall",
  ])("%j is neutral", (value) => expect(found(answer("short-text", value))).toEqual([]));

  it("are ignored in fields of other kinds", () => {
    expect(found(answer("yes-no", "I hated it"), answer("drawing", "I hated it"))).toEqual([]);
  });

  it("are truncated, whatever they contain", () => {
    const [one] = found(answer("long-text", `I hated it\n\u202e${"so bad ".repeat(5000)}`));
    expect(one?.type).toBe("negative-moment");
  });
});

it("detects languages by their function words", () => {
  expect([looksEnglish("the war was hell"), looksEnglish("die war hell"), looksEnglish("great")]).toEqual([
    true,
    false,
    true,
  ]);
  expect(classifySentiment("die war hell")).toBe("neutral");
});

it("orders findings from feedback after those from events", () => {
  const steps = [1, 2, 3, 4, 5, 6].map((at) => [at, "fail", "cellar"] as const);
  const types = analyze(toRecordedSession(steps, { feedback: [answer("rating-1-5", "5")] })).map(
    ({ type }) => type,
  );
  expect(types.at(-2)).toBe("praise");
  expect(types.at(-1)).toBe("session-summary");
});
