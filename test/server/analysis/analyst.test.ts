/** The analysis as a whole: order, limits, names and arbitrary client data. */

import { describe, expect, it } from "vitest";
import { analyze, MAX_FINDINGS_PER_RULE } from "../../../src/server/analysis/analyst.ts";
import { defaultMeanings, resolveMeanings } from "../../../src/server/analysis/meanings.ts";
import type { SessionEvent } from "../../../src/server/analysis/recorded-session.ts";
import { LINEAR, measureGrowth } from "../../cpu-time.ts";
import fc from "../../property.ts";
import { expectValid, repeated, START, type Step, tagsOf, toRecordedSession } from "./recorded-sessions.ts";

const names = Object.values(defaultMeanings).flatMap((set: ReadonlySet<string>) => [...set]);
const reports = ["session_heartbeat", "session_summary", "focus_lost", "idle_end", "player_pos", "__proto__"];
const anyText = fc.string({ unit: "binary", maxLength: 150 });
const room = fc.oneof(
  fc.constantFrom("a", "A ", "b", "__proto__", "constructor", 7, ""),
  anyText,
  fc.anything(),
);
const event: fc.Arbitrary<SessionEvent> = fc.record({
  id: fc.oneof(fc.nat().map(String), anyText),
  name: fc.oneof(fc.constantFrom(...names, ...reports), anyText),
  timestamp: fc.integer({ min: START, max: START + 600_000 }),
  data: fc.option(
    fc.oneof(
      fc.record({ room, message: fc.oneof(anyText, fc.anything()) }, { requiredKeys: [] }),
      fc.dictionary(anyText, fc.anything(), { maxKeys: 3 }),
    ),
  ),
});
const play = fc.record({
  events: fc.array(event, { maxLength: 120 }).map((some) => some.sort((a, b) => a.timestamp - b.timestamp)),
  meanings: fc.constant(defaultMeanings),
  snapshot: fc.option(fc.dictionary(fc.constantFrom("wallSec", "activeSec"), fc.anything())),
  ended: fc.boolean(),
});

describe("for arbitrary client data", () => {
  it("returns valid findings with unique tags and the summary last", () => {
    fc.assert(
      fc.property(play, (some) => {
        const findings = analyze(some);
        for (const finding of findings) expectValid(finding);
        expect(new Set(tagsOf(findings)).size).toBe(findings.length);
        const summaries = findings.filter(({ type }) => type === "session-summary");
        expect(summaries).toHaveLength(1);
        expect(findings.at(-1)?.type).toBe("session-summary");
      }),
      { numRuns: 300 },
    );
  });

  it("is deterministic and does not change the events", () => {
    fc.assert(
      fc.property(play, (some) => {
        const copy = structuredClone(some.events);
        expect(analyze(some)).toEqual(analyze({ ...some, events: copy }));
        expect(some.events).toEqual(copy);
      }),
      { numRuns: 50 },
    );
  });
});

it("orders findings by their first evidence", () => {
  const steps: Step[] = [
    [0, "begin", "start"],
    [1, "crash_reported", "start"],
    ...repeated(6, "death", "hard", 10),
    [100, "begin", "easy"],
    [105, "complete", "easy"],
    ...repeated(5, "death", "harder", 200),
  ];
  expect(tagsOf(analyze(toRecordedSession(steps)))).toEqual([
    "bug-report:start",
    "difficulty-spike:hard",
    "positive-moment:easy",
    "difficulty-spike:harder",
    "negative-moment:harder",
    "session-summary:session",
  ]);
});

it("accepts rooms like __proto__ and numbers", () => {
  const steps = ["__proto__", "constructor", "toString"].flatMap((name, at) =>
    repeated(5, "death", name, at * 100),
  );
  expect(tagsOf(analyze(toRecordedSession(steps))).slice(0, 3)).toEqual([
    "difficulty-spike:__proto__",
    "difficulty-spike:constructor",
    "difficulty-spike:tostring",
  ]);
  const numbered = [1, 2, 3, 4, 5].map((at): Step => [at, "death", 9]);
  expect(tagsOf(analyze(toRecordedSession(numbered)))[0]).toBe("difficulty-spike:9");
});

it.each([null, "", "  ", Number.NaN, {}, [1], true])("treats %j as no room", (room) => {
  const steps = [1, 2, 3, 4, 5].map((at): Step => [at, "death", room]);
  expect(tagsOf(analyze(toRecordedSession(steps)))[0]).toBe("difficulty-spike:session");
});

it("uses the event meanings of the game", () => {
  const meanings = resolveMeanings([{ name: "wiped", meaning: "failure" }]);
  const wiped = repeated(5, "wiped", "raid");
  expect(tagsOf(analyze(toRecordedSession(wiped)))).not.toContain("difficulty-spike:raid");
  expect(tagsOf(analyze(toRecordedSession(wiped, { meanings })))).toContain("difficulty-spike:raid");
  expect(tagsOf(analyze(toRecordedSession(repeated(5, "fail", "raid"), { meanings })))).not.toContain(
    "difficulty-spike:raid",
  );
});

it("keeps the strongest findings of a rule", () => {
  const errors = Array.from({ length: 3000 }, (_, at): Step => [at, "application_error", `room ${at}`]);
  const twice: Step[] = repeated(2, "crash_reported", "room 2999", 4000);
  const found = analyze(toRecordedSession([...errors, ...twice])).filter(({ type }) => type === "bug-report");
  expect(found).toHaveLength(MAX_FINDINGS_PER_RULE);
  expect(tagsOf(found).slice(0, 2)).toEqual(["bug-report:room-0", "bug-report:room-1"]);
  expect(tagsOf(found).at(-1)).toBe("bug-report:room-2999");
});

it("analyzes long sessions with many rooms in linear time", () => {
  const cycle = ["begin", "death", "succeed", "skip_button", "player_pos", "reset", "complete", "fail"];
  const names = (at: number) => cycle[at % cycle.length] ?? "";
  const rooms: ReadonlyArray<(at: number) => string | undefined> = [
    (at) => `room-${at}`,
    (at) => (at % 3 ? undefined : `room-${at}`),
    (at) => (at % 16 < 8 ? "hub" : `room-${at % 99}`),
    () => "one",
  ];
  const plays = (length: number) => [
    ...rooms.map((room) => Array.from({ length }, (_, at): Step => [at, names(at), room(at)])),
    Array.from({ length }, (_, at): Step => [at, "death", "one"]),
  ];
  const growth = measureGrowth(2500, (length) => {
    for (const steps of plays(length)) analyze(toRecordedSession(steps));
  });
  expect(growth).toBeLessThan(LINEAR);
});
