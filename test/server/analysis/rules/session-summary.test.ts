/** The session summary: sentiment, rooms, outcomes and ending. */
import { describe, expect, it } from "vitest";
import type { RecordedSession } from "../../../../src/server/analysis/recorded-session.ts";
import { MIN_OUTCOMES } from "../../../../src/server/analysis/rules/session-summary.ts";
import { findingsOf, repeated, type Step, withoutClaims } from "../recorded-sessions.ts";

function summary(steps: readonly Step[], more: Partial<RecordedSession> = {}) {
  const [one, ...others] = findingsOf("session-summary", steps, more);
  expect(others).toEqual([]);
  return one;
}
const titlesOf = (kind: "negative-moment", steps: readonly Step[]) =>
  findingsOf(kind, steps).map(({ title }) => title);
const ending = (steps: readonly Step[], more: Partial<RecordedSession> = {}) =>
  summary(steps, more)?.title.split("; ").at(-1);

describe("without events", () => {
  const answer = { id: "r", fieldId: "f", label: "Anything?", kind: "short-text", value: "no" };

  it.each([
    [{}, "Nothing was recorded", "No events, no transcript or notes"],
    [{ transcript: null, feedback: [] }, "Nothing was recorded", "No events, no transcript or notes"],
    [{ transcript: " ... " }, "Nothing was recorded", "No events, transcript without words"],
    [{ feedback: [answer] }, "No events were recorded, 1 form answer", "No events, no transcript or notes"],
  ])("summarizes %j", (more: Partial<RecordedSession>, title, evidence) => {
    expect(summary([], more)).toMatchObject({
      ...{ title, evidence, sentiment: "neutral", confidence: 1, tag: "session-summary:session" },
    });
  });

  it("uses the summary of the transcript if there is one", () => {
    expect(summary([], { transcript: "I like this door." })?.title).toMatch(/^Transcript of 1 sentence:/);
  });
});

it("includes rooms, outcomes, the hardest room, the times and the ending", () => {
  const steps: Step[] = [
    [0, "begin", "a"],
    [10, "death", "a"],
    [20, "complete", "a"],
    ...repeated(3, "death", "b", 100),
    [300, "idle_start"],
    [420, "idle_end"],
    [600, "move", "c"],
  ];
  expect(withoutClaims(findingsOf("session-summary", steps))).toMatchInlineSnapshot(`
    [
      {
        "confidence": 1,
        "evidence": "9 events within 10m",
        "sentiment": "negative",
        "tag": "session-summary:session",
        "title": "Events show 3m 40s of active play in 3 rooms: success in 1 room, 4 failures (3 in b); ended in c",
        "type": "session-summary",
      },
    ]
  `);
});

it("claims its totals", () => {
  const steps: Step[] = [
    [0, "begin", "a"],
    [10, "death", "a"],
    [20, "complete", "a"],
    [25, "move", "b"],
  ];
  expect(summary(steps)?.claims).toEqual([
    {
      kind: "summary",
      activeMs: 25_000,
      wallMs: 25_000,
      rooms: 2,
      roomsCompleted: 1,
      failures: 1,
      events: 4,
    },
    { kind: "successes", room: null, ids: ["e2"], count: 1, from: null, to: null },
    { kind: "failures", room: "a", ids: ["e1"], count: 1, from: null, to: null },
    { kind: "end", at: "e3" },
    { kind: "events", ids: ["e2"], names: ["complete"], count: 1 },
    { kind: "interval", from: "e2", to: "e3", ms: 5000 },
  ]);
});

it("counts rooms with a success, not success events, unless some name no room", () => {
  const twice = repeated(2, "complete", "a");
  expect(summary([...twice, [60, "move", "b"]])?.title).toMatch(
    / in 2 rooms: success in 1 room, 0 failures; /,
  );
  expect(summary([...twice, [60, "complete"]])?.title).toMatch(/ in 1 room: 3 successes, 0 failures; /);
});

it("names the room of the failures if it is known", () => {
  const counts = (steps: readonly Step[]) => summary(steps)?.title.match(/: (.*); /)?.[1];
  expect(counts([...repeated(3, "death", "a"), [50, "death", "b"]])).toBe("no success, 4 failures (3 in a)");
  expect(counts(repeated(2, "death", "a"))).toBe("no success, 2 failures (all in a)");
  expect(counts(repeated(1, "death", "a"))).toBe("no success, 1 failure (in a)");
  expect(counts([[0, "death"]])).toBe("0 successes, 1 failure");
  expect(counts([[0, "move"]])).toBe("0 successes, 0 failures");
});

it("states the times of the events, as the findings about rooms do, whatever the client reports", () => {
  const steps: Step[] = [
    [0, "begin", "a"],
    [30, "move", "a"],
    [3630, "move", "a"],
    [3640, "begin", "b"],
  ];
  const finding = summary(steps, { snapshot: { wallSec: 45, activeSec: 45 } });
  expect(finding?.title).toMatch(/^Events show 1m 40s of active play in 2 rooms: /);
  expect(finding?.evidence).toBe("4 events within 1h");
  expect(titlesOf("negative-moment", steps)).toEqual(["Left a after 1m 40s without completing it"]);
});

describe("sentiment", () => {
  const balance = (failures: number, successes: number) =>
    summary([...repeated(successes, "complete", "a"), ...repeated(failures, "death", "b", 1000)])?.sentiment;

  it("is set by an outcome that is twice as frequent as the other", () => {
    expect([balance(6, 3), balance(5, 3), balance(3, 3), balance(3, 5), balance(3, 6)]).toEqual([
      "negative",
      "neutral",
      "neutral",
      "neutral",
      "positive",
    ]);
  });

  it("is neutral with few outcomes", () => {
    expect([balance(MIN_OUTCOMES - 1, 0), balance(MIN_OUTCOMES, 0)]).toEqual(["neutral", "negative"]);
    expect([balance(0, MIN_OUTCOMES - 1), balance(0, MIN_OUTCOMES)]).toEqual(["neutral", "positive"]);
  });

  it("is negative after a crash", () => {
    expect(summary([...repeated(9, "complete", "a"), [200, "crash_reported"]])?.sentiment).toBe("negative");
  });
});

it("describes the ending", () => {
  const failed: Step[] = repeated(1, "death", "a");
  expect(ending(failed, { ended: false })).toBe("still in progress");
  expect(ending(failed)).toBe("ended with a failure in a");
  expect(ending([...failed, [30, "move", "b"]])).toBe("ended 30s after a failure in a");
  expect(ending([...failed, [30.001, "move", "b"]])).toBe("ended in b");
  expect(ending([...failed, [30, "quit", "a"]])).toBe("ended with quit in a");
  expect(ending([...failed, [30, "session_summary"]])).toBe("ended with a failure in a");
  expect(ending([...failed, [30.001, "session_summary"]])).toBe("ended in a");
  expect(
    ending([
      [0, "quit", "a"],
      [30.001, "session_summary"],
    ]),
  ).toBe("ended in a");
  expect(ending([[0, "crash_reported"]])).toBe("ended with a crash");
  expect(ending([[0, "move"]])).toBe("ended");
});
