/** Negative moments: leaving a room without a success, on both sides of each threshold. */
import { describe, expect, it } from "vitest";
import type { RecordedSession } from "../../../../src/server/analysis/recorded-session.ts";
import { GIVING_UP_MS, LEAVING_MS } from "../../../../src/server/analysis/rules/leaving.ts";
import { MIN_STAY_MS } from "../../../../src/server/analysis/rules/negative-moment.ts";
import { findingsOf, repeated, type Step, tagsOf, withoutClaims } from "../recorded-sessions.ts";

const moments = (steps: readonly Step[], more: Partial<RecordedSession> = {}) =>
  findingsOf("negative-moment", steps, more);
const titles = (steps: readonly Step[]) => moments(steps).map(({ title }) => title);
const stay = MIN_STAY_MS / 1000;
const soon = LEAVING_MS / 1000;
const atOnce = GIVING_UP_MS / 1000;

describe("giving up", () => {
  const failed: Step = [0, "death", "a"];

  it("is reported after a failure if the player leaves the room", () => {
    const found = moments([failed, [20, "skip_button", "a"], [22, "begin", "b"], [30, "move", "b"]]);
    expect(withoutClaims(found)).toMatchInlineSnapshot(`
      [
        {
          "confidence": 0.63,
          "evidence": "skip_button in a after 1 failure; went to b 2s later (threshold: 1 failure, or 30s in the room): event e1 after event e0",
          "sentiment": "negative",
          "tag": "negative-moment:a",
          "title": "Skipped a after 1 failure",
          "type": "negative-moment",
        },
      ]
    `);
    expect(found[0]?.claims).toEqual([
      { kind: "events", ids: ["e1"], count: 1, names: ["skip_button"] },
      { kind: "interval", from: "e1", to: "e2", ms: 2000 },
      { kind: "failures", room: "a", ids: ["e0"], count: 1, from: "e0", to: null },
      { kind: "successes", room: "a", ids: [], count: 0, from: null, to: null },
      { kind: "left", room: "a", at: "e1", nextRoom: "b" },
      { kind: "room-time", room: "a", ms: 22_000, from: "e0", until: "e2" },
    ]);
  });

  it("is reported without a failure only after some time in the room", () => {
    const skip = (at: number): Step[] => [
      [0, "begin", "a"],
      [at, "skip_button", "a"],
      [at, "begin", "b"],
    ];
    expect(titles(skip(stay - 0.001))).toEqual([]);
    expect(titles(skip(stay))).toEqual(["Skipped a after 30s without completing it"]);
    expect(
      titles([
        [0, "begin", "a"],
        [0.05, "skip_button", "a"],
        [9, "begin", "b"],
      ]),
    ).toEqual([]);
  });

  it("is not reported if the player returns, tries again or goes on playing", () => {
    const skip: Step[] = [failed, [20, "skip_button", "a"]];
    expect(moments([...skip, [22, "begin", "b"], [90, "begin", "a"], [95, "move", "b"]])).toEqual([]);
    expect(moments([...skip, [22, "begin", "a"], [23, "begin", "b"], [99, "move", "b"]])).toMatchObject([
      { title: "Left a 23s after a failure" },
    ]);
  });

  it("takes effect at once", () => {
    const start: Step[] = [
      [0, "begin", "a"],
      [40, "skip_button", "a"],
    ];
    const left = (after: number): Step[] => [...start, [40 + after, "begin", "b"]];
    expect(titles(left(atOnce))).toEqual(["Skipped a after 45s without completing it"]);
    expect(titles(left(atOnce + 0.001))).toEqual(["Left a after 45s without completing it"]);
    const ended = (after: number): Step[] => [...start, [40 + after, "move", "a"]];
    expect(titles(ended(atOnce))).toEqual(["Skipped a after 45s without completing it"]);
    expect(titles(ended(atOnce + 0.001))).toEqual([]);
    const away: Step[] = [...start, [41, "focus_lost"], [141, "focus_gained"], [142, "begin", "b"]];
    expect(titles(away)).toEqual(["Skipped a after 42s without completing it"]);
  });

  it("without a failure is only reported in a room that can be completed", () => {
    const quit: Step[] = [
      [0, "move", "menu"],
      [40, "quit", "menu"],
    ];
    expect(titles(quit)).toEqual([]);
    expect(titles([[0, "begin", "menu"], ...quit.slice(1)])).toEqual([
      "Quit in menu after 40s without completing it",
    ]);
  });

  it("is not reported in a room with a success", () => {
    expect(moments([failed, [10, "complete", "a"], [20, "quit", "a"]])).toEqual([]);
    expect(moments([failed, [10, "complete"], [20, "quit", "a"]])).toEqual([]);
  });

  it("is reported if the room was started again after a success", () => {
    const again: Step[] = [
      [10, "complete", "a"],
      [20, "begin", "a"],
      [60, "skip_button", "a"],
      [61, "begin", "b"],
    ];
    expect(titles([failed, ...again])).toEqual(["Skipped a after 41s without completing it again"]);
  });

  it("is named by its event", () => {
    const give = (name: string, room?: string): Step[] => [failed, [20, name, room]];
    expect(titles(give("quit", "a"))).toEqual(["Quit in a after 1 failure"]);
    expect(titles(give("rage_quit", "a"))).toEqual(["Rage-quit in a after 1 failure"]);
    expect(titles(give("quit"))).toEqual(["Quit in a after 1 failure"]);
  });

  it("is not reported while the session continues in the room", () => {
    expect(moments([failed, [20, "quit", "a"]], { ended: false })).toEqual([]);
    expect(moments([failed, [20, "quit", "a"], [21, "begin", "b"]], { ended: false })).toHaveLength(1);
  });

  it("is stronger after more failures", () => {
    const strength = (count: number) =>
      moments([...repeated(count, "death", "a"), [count * 10, "quit", "a"]])[0]?.confidence;
    expect([1, 2, 4, 20].map(strength)).toEqual([0.63, 0.7, 0.76, 0.83]);
  });
});

describe("leaving after a failure", () => {
  const failed: Step = [100, "death", "a"];

  it("is reported if play ends soon after", () => {
    const found = moments([failed, [100 + soon, "move", "a"]]);
    expect(withoutClaims(found)).toMatchInlineSnapshot(`
      [
        {
          "confidence": 0.3,
          "evidence": "Stopped playing in a 30s after a failure; play ends 30s later (threshold: at most 30s after a failure): event e0",
          "sentiment": "negative",
          "tag": "negative-moment:a",
          "title": "Stopped playing in a 30s after a failure",
          "type": "negative-moment",
        },
      ]
    `);
    expect(found[0]?.claims).toContainEqual({ kind: "end", at: "e1" });
    expect(moments([failed, [100 + soon + 0.001, "move", "a"]])).toEqual([]);
  });

  it("is reported if the player goes to another room and a success could be seen", () => {
    const start: Step = [90, "begin", "a"];
    expect(titles([start, failed, [105, "move", "b"], [200, "move", "b"]])).toEqual([
      "Left a 5s after a failure",
    ]);
    expect(titles([failed, [105, "move", "b"], [200, "move", "b"]])).toEqual([]);
    expect(titles([failed, [105, "move", "b"], [200, "complete", "b"]])).toEqual([]);
  });

  it("does not say that nothing follows if play goes on", () => {
    const [evidence] = moments([failed, [102, "move", "a"], [120, "move", "a"]]).map(
      (found) => found.evidence,
    );
    expect(evidence).toBe(
      "Stopped playing in a 20s after a failure; play ends 20s later (threshold: at most 30s after a failure): event e0",
    );
    expect(moments([failed])[0]?.evidence).toContain("; the player does not play on (");
  });

  it("is not reported if the room was solved after the failure", () => {
    const begin: Step = [90, "begin", "a"];
    const solved: Step[] = [begin, [100, "fail", "a"], [105, "succeed", "a"], [110, "fail", "a"]];
    expect(moments(solved)).toEqual([]);
    expect(moments(solved.toSpliced(2, 1))).toHaveLength(1);
    expect(moments([...solved, [112, "move", "b"]])).toEqual([]);
    expect(
      moments([
        [100, "death"],
        [101, "begin", "a"],
        [105, "succeed", "a"],
        [105.5, "fail", "a"],
      ]),
    ).toEqual([]);
  });

  it("is not reported while the session continues", () => {
    expect(moments([failed], { ended: false })).toEqual([]);
  });

  it("ignores automatic client events after the failure", () => {
    const reports = ["session_heartbeat", "session_summary", "focus_lost", "idle_start", "idle_end"];
    const later = [[101, "focus_lost"] as Step, ...reports.map((name, at): Step => [500 + at, name])];
    expect(tagsOf(moments([failed, ...later]))).toEqual(["negative-moment:a"]);
  });

  it("is not reported if the player may have gone on playing without events", () => {
    const end = (at: number): Step[] => [failed, [at, "session_summary"]];
    expect(titles(end(100 + soon))).toEqual(["Stopped playing in a right after a failure"]);
    expect(titles(end(100 + soon + 0.001))).toEqual([]);
    expect(titles([failed, [110, "quit", "a"], [110 + soon + 0.001, "session_summary"]])).toEqual([]);
  });

  it("is not reported if the game crashed", () => {
    expect(moments([failed, [101, "crash_reported", "a"]])).toEqual([]);
    expect(moments([failed, [101, "crash_reported"]])).toEqual([]);
    expect(moments([failed, [101, "application_error", "a"]])).toHaveLength(1);
    const event = { id: "c", name: "crash_reported", timestamp: 0, data: null };
    expect(moments([failed], { reportedCrashes: [{ sessionId: "sess_later", event }] })).toEqual([]);
    expect(
      moments([[90, "crash_reported", "a"], failed], { earlierCrashes: new Map([["e0", null]]) }),
    ).toHaveLength(1);
  });

  it("without a room is reported if no success follows", () => {
    expect(
      titles([
        [0, "death"],
        [5, "move"],
      ]),
    ).toEqual(["Stopped playing 5s after a failure"]);
    expect(
      titles([
        [0, "death"],
        [5, "complete", "a"],
      ]),
    ).toEqual([]);
  });

  it("is stronger after more failures, but never strong", () => {
    const strength = (count: number) => moments(repeated(count, "death", "a"))[0]?.confidence;
    expect([1, 2, 4, 40].map(strength)).toEqual([0.3, 0.45, 0.53, 0.59]);
  });
});

describe("leaving without a failure", () => {
  const left = (seconds: number): Step[] => [
    [0, "begin", "a"],
    [seconds, "begin", "b"],
    [seconds + 5, "complete", "b"],
  ];

  it("is reported after some time in the room", () => {
    expect(moments(left(stay - 0.001))).toEqual([]);
    expect(titles(left(stay))).toEqual(["Left a after 30s without completing it"]);
  });

  it("is not reported where a success could not be seen", () => {
    expect(
      moments(left(99).map(([at, name, room]): Step => [at, name === "begin" ? "move" : name, room])),
    ).toEqual([]);
    expect(
      moments([
        [0, "move", "a"],
        [99, "move", "b"],
      ]),
    ).toEqual([]);
  });

  it("is not reported in a hub between completed levels", () => {
    const levels = [1, 2, 3, 4, 5, 6].flatMap((level): Step[] => [
      [level * 100, "move", "hub"],
      [level * 100 + 40, "level_start", `level-${level}`],
      [level * 100 + 80, "level_completed", `level-${level}`],
    ]);
    expect(titles(levels)).toEqual([]);
    const restarted: Step[] = [[10, "complete", "hub"], [20, "restart", "hub"], ...levels];
    expect(titles(restarted)).toEqual(["Left hub after 40s without completing it again"]);
  });

  it("is not reported at the end of the session", () => {
    expect(
      moments([
        [0, "begin", "a"],
        [99, "move", "a"],
      ]),
    ).toEqual([]);
  });
});
