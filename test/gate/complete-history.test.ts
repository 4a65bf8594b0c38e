/** When the gate does not use what each tester played, because the comparison counts more. */
import { describe, expect, test } from "vitest";
import { MAX_HISTORY_SESSIONS, type TesterHistory } from "../../src/contract/play-history.ts";
import type { GateBuild, TagChange } from "../../src/gate/build-comparison.ts";
import { dropIncompleteHistory } from "../../src/gate/complete-history.ts";

const TAG = "confusion:x";

const tester = (tags: readonly string[], sessions = 1): TesterHistory => ({
  anonymous: false,
  sessions: Array.from({ length: sessions }, () => ({
    ...{ activeSec: 1, wallSec: 1, bugReports: 0, rooms: [] },
    tags: [...tags],
  })),
});

/** A build with four testers. */
const build = (history: readonly TesterHistory[] | null, byTag: GateBuild["byTag"] = null): GateBuild => ({
  ...{ version: "2", testers: 4, sessions: null, stats: null, analysisVersions: null },
  byTag,
  history,
});

/** A change from a service that does not report testers by tag. */
const change = (deltaPct: number): TagChange => ({
  ...{ tag: TAG, kind: "introduced", testersA: null, testersB: null },
  deltaPct,
});

/** Whether the history of build b, with as many of four testers with the tag, is used. */
function isUsed(withTag: number, changes: readonly TagChange[], byTag: GateBuild["byTag"] = null): boolean {
  const history = Array.from({ length: 4 }, (_, at) => tester(at < withTag ? [TAG] : []));
  return dropIncompleteHistory(build(history, byTag), changes, "b").history === history;
}

describe("dropIncompleteHistory", () => {
  test("keeps an unknown history, and those with at least the counted testers", () => {
    const unknown = build(null);
    expect(dropIncompleteHistory(unknown, [], "b")).toBe(unknown);
    const counts = new Map([[TAG, { testers: 2, insights: 2 }]]);
    expect([2, 3].map((withTag) => isUsed(withTag, [], counts))).toEqual([true, true]);
    const more = build(Array.from({ length: 5 }, () => tester([])));
    expect(dropIncompleteHistory(more, [], "b")).toBe(more);
  });

  test("drops a history with fewer testers, in total or with a tag", () => {
    expect(isUsed(1, [], new Map([[TAG, { testers: 2, insights: 2 }]]))).toBe(false);
    expect(dropIncompleteHistory(build([tester([])]), [], "b")).toMatchObject({
      history: null,
      historyFault: expect.stringContaining("it has 1 of 4 testers."),
    });
  });

  test("uses the change of the share if the testers are not reported", () => {
    expect([49.9, 50, 50.1].map((deltaPct) => isUsed(2, [change(deltaPct)]))).toEqual([true, true, false]);
    expect(isUsed(0, [change(-50)])).toBe(true);
    const history = Array.from({ length: 4 }, () => tester([]));
    expect(dropIncompleteHistory(build(history), [change(-50)], "a").history).toBeNull();
  });

  test("allows for tags in sessions that are not listed", () => {
    const counts = new Map([[TAG, { testers: 1, insights: 1 }]]);
    const played = (sessions: number) =>
      build([tester([], sessions), tester([]), tester([]), tester([])], counts);
    const [full, cut] = [played(MAX_HISTORY_SESSIONS - 1), played(MAX_HISTORY_SESSIONS)];
    expect(dropIncompleteHistory(full, [], "b").history).toBeNull();
    expect(dropIncompleteHistory(cut, [], "b")).toBe(cut);
  });
});
