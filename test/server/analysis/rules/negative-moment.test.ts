/** Negative moments: giving up and leaving, on both sides of each threshold. */
import { describe, expect, it } from "vitest";
import type { RecordedSession } from "../../../../src/server/analysis/recorded-session.ts";
import {
  GIVING_UP_MS,
  QUIT_AFTER_FAILURE_MS,
  RAGE_CONFIDENCE,
  STRUGGLE_FAILURES,
} from "../../../../src/server/analysis/rules/negative-moment.ts";
import { findingsOf, repeated, type Step, tagsOf } from "../recorded-sessions.ts";

const moments = (steps: readonly Step[], more: Partial<RecordedSession> = {}) =>
  findingsOf("negative-moment", steps, more);
const open = { ended: false };

describe("giving up", () => {
  it("is reported after enough failures", () => {
    const skip: Step = [20, "skip_button", "a"];
    expect(moments([...repeated(STRUGGLE_FAILURES - 1, "fail", "a"), skip], open)).toEqual([]);
    expect(moments([...repeated(STRUGGLE_FAILURES, "fail", "a"), skip], open)).toMatchInlineSnapshot(`
      [
        {
          "confidence": 0.6,
          "evidence": "skip_button in a, 10s after the last of 2 failures with no success that lasted over 3s in between (threshold: 2 failures, the last one at most 2m before): event e2 after events e0, e1",
          "sentiment": "negative",
          "tag": "negative-moment:a",
          "title": "Gave up in a after 2 failures",
          "type": "negative-moment",
        },
      ]
    `);
  });

  it("is reported only soon after the last failure", () => {
    const limit = 10 + GIVING_UP_MS / 1000;
    const fails = repeated(2, "fail", "a");
    expect(moments([...fails, [limit, "quit", "a"]], open)).toHaveLength(1);
    expect(moments([...fails, [limit + 0.001, "quit", "a"]], open)).toEqual([]);
  });

  it("is not reported after a lasting success or without failures", () => {
    expect(moments([...repeated(4, "fail", "a"), [50, "succeed", "a"], [51, "skip_button", "a"]])).toEqual(
      [],
    );
    expect(moments(repeated(30, "skip_button", "a"))).toEqual([]);
  });

  it("is not reported for failures before an earlier give-up", () => {
    const steps: Step[] = [...repeated(2, "fail", "a"), [20, "skip_button", "a"], [30, "skip_button", "a"]];
    expect(moments(steps, open)[0]?.evidence).toContain("event e2 after events e0, e1");
  });

  it("is not reported for failures in another room", () => {
    expect(moments([...repeated(3, "fail", "a"), [40, "skip_button", "b"]], open)).toEqual([]);
  });

  it("without a room counts for the room of the last failure", () => {
    expect(tagsOf(moments([...repeated(2, "fail", "a"), [40, "quit"]], open))).toEqual(["negative-moment:a"]);
  });

  it("is reported once per room, after the most failures", () => {
    const again: Step[] = [...repeated(3, "fail", "a", 100), [140, "skip_button", "a"]];
    const once: Step[] = [...repeated(2, "fail", "a", 200), [230, "skip_button", "a"]];
    const found = moments([...again, ...once], open);
    expect(found.map(({ title }) => title)).toEqual(["Gave up in a after 3 failures"]);
  });

  it("is more confident with more failures", () => {
    const sure = (count: number) =>
      moments([...repeated(count, "fail", "a"), [count * 10, "quit", "a"]], open)[0]?.confidence;
    expect([2, 4, 20].map(sure)).toEqual([0.6, 0.75, 0.87]);
  });

  it("by rage quit does not require failures", () => {
    const [moment] = moments([[5, "rage_quit", "a"]], open);
    expect(moment).toMatchObject({ tag: "negative-moment:a", confidence: RAGE_CONFIDENCE });
    expect(moment?.evidence).toBe("rage_quit in a with no failure before it (threshold: 1 event): event e0");
    expect(tagsOf(moments([[5, "rage_quit"]], open))).toEqual(["negative-moment:session"]);
  });
});

describe("leaving", () => {
  const limit = QUIT_AFTER_FAILURE_MS / 1000;
  const failed: Step = [100, "death", "a"];

  it("is reported if the session ends soon after a failure", () => {
    expect(moments([failed, [100 + limit, "move", "a"]])).toMatchInlineSnapshot(`
      [
        {
          "confidence": 0.4,
          "evidence": "The session ended 30s after a failure in a (threshold: at most 30s): event e0",
          "sentiment": "negative",
          "tag": "negative-moment:a",
          "title": "Left the game after 1 failure in a",
          "type": "negative-moment",
        },
      ]
    `);
    expect(moments([failed, [100 + limit + 0.001, "move", "a"]])).toEqual([]);
  });

  it("is not reported while the session continues", () => {
    expect(moments([failed], open)).toEqual([]);
  });

  it("ignores automatic client events after the failure", () => {
    const reports = [
      "session_heartbeat",
      "session_summary",
      "focus_lost",
      "idle_start",
      "idle_end",
      "focus_gained",
    ];
    const later = reports.map((name, at): Step => [500 + at, name]);
    expect(tagsOf(moments([failed, ...later]))).toEqual(["negative-moment:a"]);
  });

  it("is not reported after a success or a crash", () => {
    expect(moments([failed, [101, "succeed", "b"]])).toEqual([]);
    expect(moments([failed, [101, "crash_reported", "a"]])).toEqual([]);
    expect(moments([failed, [101, "application_error", "a"]])).toHaveLength(1);
  });

  it("is more confident with more failures since the last success", () => {
    const sure = (count: number) => moments(repeated(count, "fail", "a"))[0]?.confidence;
    expect([1, 2, 4, 40].map(sure)).toEqual([0.4, 0.65, 0.78, 0.89]);
  });

  it("is joined with giving up in the same room", () => {
    const found = moments([...repeated(3, "fail", "a"), [25, "quit", "a"]]);
    expect(tagsOf(found)).toEqual(["negative-moment:a"]);
    expect(found[0]?.title).toBe("Gave up in a after 3 failures");
    expect(found[0]?.evidence).toMatch(/^quit in a, .*\. The session ended 5s after a failure in a /);
  });
});
