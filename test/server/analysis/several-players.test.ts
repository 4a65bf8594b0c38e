/** Findings in a session that several players share on one device: each player is judged on their own play. */
import { describe, expect, test } from "vitest";
import { analyze } from "../../../src/server/analysis/analyst.ts";
import type { RecordedSession, SessionFinding } from "../../../src/server/analysis/recorded-session.ts";
import { readPlay } from "../../../src/server/analysis/session-play.ts";
import { dividePlayers } from "../../../src/server/analysis/session-players.ts";
import { expectValid, findingsOf, type Step, tagsOf, toRecordedSession } from "./recorded-sessions.ts";

/** Steps of one player; null for none. */
const by = (player: string | null, steps: readonly Step[]): Step[] =>
  steps.map(([seconds, name, room, data]) => [seconds, name, room, { ...data, ...(player && { player }) }]);

/** Steps of several players in the order of their times. */
const together = (...all: readonly Step[][]): Step[] => all.flat().sort(([a], [b]) => a - b);

const times = (count: number, name: string, room: string, from = 0, every = 10): Step[] =>
  Array.from({ length: count }, (_, n): Step => [from + n * every, name, room]);

const findOf = (type: SessionFinding["type"], ...players: readonly Step[][]) =>
  findingsOf(type, together(...players));

const idsOf = ({ claims }: SessionFinding) =>
  claims.flatMap((claim) => (claim.kind === "failures" ? claim.ids : []));

describe("failures in a row", () => {
  test("are those of one player", () => {
    const deaths = (player: string, count: number, from: number) =>
      by(player, times(count, "death", "hall", from, 4));
    expect(findOf("difficulty-spike", deaths("p1", 4, 0), deaths("p2", 4, 2))).toEqual([]);
    const [spike, ...others] = findOf("difficulty-spike", deaths("p1", 4, 0), deaths("p2", 6, 2));
    expect(others).toEqual([]);
    expect(spike?.title).toBe("Failed 6 times in a row in hall (player p2)");
    expect(spike?.claims.at(-1)).toEqual({ kind: "player", player: "p2" });
    // The events of both players in turn, from e0: those of the second one.
    expect(idsOf(spike as SessionFinding)).toEqual(["e1", "e3", "e5", "e7", "e8", "e9"]);
  });

  test("are not interrupted by the other player's rooms and successes", () => {
    const first = by("p1", times(5, "death", "hall"));
    const second = by("p2", [
      [5, "begin", "attic"],
      [15, "level_completed", "attic"],
      [25, "begin", "cellar"],
    ]);
    expect(tagsOf(findOf("difficulty-spike", first, second))).toEqual(["difficulty-spike:hall"]);
  });

  test("are one finding if both players have them: the stronger one", () => {
    const found = findOf(
      "difficulty-spike",
      by("p1", times(5, "death", "hall")),
      by("p2", times(9, "death", "hall", 1)),
    );
    expect(found.map(({ title }) => title)).toEqual(["Failed 9 times in a row in hall (player p2)"]);
  });

  test("count events without a player for each player, and once in the session", () => {
    const found = findingsOf(
      "difficulty-spike",
      together(
        by("p1", times(1, "begin", "hall")),
        by("p2", times(1, "begin", "hall", 1)),
        times(5, "death", "hall", 10),
      ),
    );
    expect(tagsOf(found)).toEqual(["difficulty-spike:hall"]);
  });
});

describe("standing still", () => {
  const positions = (player: string, move: (n: number) => number): Step[] =>
    Array.from({ length: 60 }, (_, n): Step => [n, "player_pos", "hall", { x: move(n), y: 0, player }]);
  const presses = (player: string | null): Step[] => by(player, times(20, "press", "hall", 0.5, 3));
  const walks = positions("p1", (n) => n);
  const stands = positions("p2", (n) => 30 + (n % 2) / 10);

  test("is found for a player while the other one moves", () => {
    const [still] = findOf("stuck-point", walks, stands, presses("p2"));
    expect(still?.title).toBe("Stayed in one spot in hall for 59s, with 20 other events of play (player p2)");
  });

  test("needs inputs of that player", () => {
    expect(findOf("stuck-point", walks, stands, presses("p1"))).toEqual([]);
    expect(findOf("stuck-point", walks, stands, presses(null))).toEqual([]);
  });

  test("ends when that player moves, wherever the other one is", () => {
    const moves = positions("p2", (n) => (n < 30 ? 0 : 59));
    expect(findOf("stuck-point", walks, moves, presses("p2"))).toEqual([]);
  });
});

describe("leaving a room", () => {
  const first = (...steps: Step[]) => by("p1", steps);
  const second = (...steps: Step[]) => by("p2", steps);

  test("is not the other player's change of rooms", () => {
    const found = findOf(
      "negative-moment",
      first([0, "begin", "hall"], [30, "death", "hall"], [60, "level_completed", "hall"]),
      second([1, "begin", "attic"], [31, "jump", "attic"], [59, "level_completed", "attic"]),
    );
    expect(found).toEqual([]);
  });

  test("is found while the other player plays on", () => {
    const found = findOf(
      "negative-moment",
      first([0, "begin", "hall"], [40, "death", "hall"], [42, "rage_quit", "hall"]),
      second([1, "begin", "attic"], [50, "jump", "attic"], [90, "level_completed", "attic"]),
    );
    expect(found.map(({ title }) => title)).toEqual(["Rage-quit in hall after 1 failure (player p1)"]);
  });

  test("is not found if the other player then completes the room", () => {
    const steps = [
      first([0, "begin", "hall"], [40, "death", "hall"]),
      second([1, "begin", "hall"], [50, "level_completed", "hall"]),
    ];
    expect(findOf("negative-moment", ...steps)).toEqual([]);
    const before = second([1, "begin", "hall"], [30, "level_completed", "hall"]);
    expect(findOf("negative-moment", steps[0] ?? [], before)).toHaveLength(1);
  });

  test("is not found if the game crashed in the other player's event", () => {
    const found = findOf(
      "negative-moment",
      first([0, "begin", "hall"], [40, "death", "hall"]),
      second([1, "begin", "attic"], [50, "crash_reported", "attic"]),
    );
    expect(found).toEqual([]);
  });
});

test("an idle period ends with the play of that player", () => {
  const found = findOf(
    "pacing-issue",
    by("p1", [
      [0, "idle_start", "hall"],
      [300, "jump", "hall"],
    ]),
    by("p2", times(30, "jump", "attic", 5)),
  );
  expect(tagsOf(found)).toEqual(["pacing-issue:hall"]);
});

describe("a success on the first try", () => {
  const elsewhere = by("p2", [
    [1, "death", "attic"],
    [2, "level_completed", "attic"],
  ]);
  const enters = by("p1", [
    [0, "begin", "cellar"],
    [5, "level_completed", "cellar"],
    [10, "begin", "hall"],
  ]);

  test("is that of a player, whatever the other one does in between", () => {
    const succeeds = by("p1", [[20, "level_completed", "hall"]]);
    const fails = by("p2", [
      [11, "begin", "hall"],
      [12, "death", "hall"],
      [15, "begin", "attic"],
    ]);
    const own = by("p1", [[3, "death", "cellar"]]);
    const found = findOf("positive-moment", enters, own, elsewhere, succeeds, fails);
    expect(found.map(({ title }) => title)).toEqual([
      "Succeeded in hall in 10s, on the first try in this session (player p1)",
    ]);
  });

  test("is not a success of all players after another one failed", () => {
    const succeed = by(null, [[20, "level_completed", "hall"]]);
    const fails = by("p2", [
      [12, "begin", "hall"],
      [13, "death", "hall"],
    ]);
    const own = by("p1", [[3, "death", "cellar"]]);
    expect(tagsOf(findOf("positive-moment", enters, own, succeed, fails))).not.toContain(
      "positive-moment:hall",
    );
  });
});

test("the time in a room is that of a player, and not of both in turn", () => {
  const usualRoomTimes = new Map([
    ["hall", { medianMs: 30_000, sessions: 10, build: "1.0", environment: "production" }],
  ]);
  const steps = together(
    by("p1", [[0, "begin", "hall"], ...times(14, "jump", "hall", 10), [150, "level_completed", "hall"]]),
    by("p2", times(15, "jump", "attic", 5)),
  );
  expect(findingsOf("stuck-point", steps, { usualRoomTimes }).map(({ title }) => title)).toEqual([
    "Spent 2m 30s in hall before the first success; the median of 10 sessions of build 1.0 is 30s (player p1)",
  ]);
});

test("the summary counts the failures of each player", () => {
  const steps = together(
    by("p1", [
      [0, "begin", "hall"],
      [10, "death", "hall"],
    ]),
    by("p2", [
      [1, "begin", "hall"],
      [10.2, "player_death", "hall"],
      [20, "level_completed", "hall"],
    ]),
  );
  const [summary] = findingsOf("session-summary", steps);
  expect(summary?.claims[0]).toMatchObject({ kind: "summary", failures: 2, roomsCompleted: 1, events: 5 });
});

describe("one player", () => {
  const session = (player: (n: number) => string | undefined): RecordedSession =>
    toRecordedSession(
      together(times(12, "death", "hall"), times(3, "rage_quit", "attic", 200)).map(
        ([seconds, name, room], n): Step => [seconds, name, room, { player: player(n) }],
      ),
    );

  test("and more than 16 names make no difference", () => {
    const expected = analyze(session(() => undefined));
    expect(analyze(session(() => "p1"))).toEqual(expected);
    expect(
      analyze(
        toRecordedSession(
          together(...Array.from({ length: 20 }, (_, n) => by(`p${n}`, times(1, "death", "hall", n)))),
        ),
      ),
    ).toEqual(analyze(toRecordedSession(times(20, "death", "hall", 0, 1))));
  });
});

test("findings of several players are valid, whatever the names", () => {
  const name = `\u202e${"x".repeat(120)}\n`;
  const found = analyze(
    toRecordedSession(together(by(name, times(9, "death", "hall")), by("p2", times(2, "death", "hall", 1)))),
  );
  expect(found.length).toBeGreaterThan(1);
  for (const finding of found) expectValid(finding);
});

test("a session is not divided if its parts would have too many events", () => {
  const divide = (maxPartEvents: number) => {
    const names = by("p1", times(1, "begin", "hall")).concat(by("p2", times(1, "begin", "hall")));
    const session = toRecordedSession([...names, ...times(4, "jump", "hall", 1)]);
    return dividePlayers(session, readPlay(session), maxPartEvents).map(({ player }) => player);
  };
  expect(divide(10)).toEqual(["p1", "p2"]);
  expect(divide(9)).toEqual([null]);
});
