/** The title of an analyzed session. */
import { describe, expect, it, test } from "vitest";
import { readRoomOutcomes } from "../../../src/server/analysis/room-outcomes.ts";
import { readPlay } from "../../../src/server/analysis/session-play.ts";
import { formatSessionTitle } from "../../../src/server/analysis/session-title.ts";
import { repeated, type Step, toRecordedSession } from "./recorded-sessions.ts";

function titleOf(steps: readonly Step[], hasCrashed = false): string | null {
  const session = toRecordedSession(steps);
  const play = readPlay(session);
  return formatSessionTitle(play, readRoomOutcomes(session.events, play, { hasCrashed }), hasCrashed);
}

describe("the title", () => {
  test.each<[title: string, steps: readonly Step[], hasCrashed?: boolean]>([
    ["Quit in furnace after 6 failures, 1m", repeated(6, "death", "furnace", 0, 14)],
    ["Ended in furnace, 20s", repeated(3, "press", "furnace")],
    [
      "Crashed, ended in furnace after 1 failure, 10s",
      [
        [0, "press", "furnace"],
        [10, "death", "furnace"],
      ],
      true,
    ],
    [
      "Completed gardens after 1 failure, 30s",
      [
        [0, "death", "gardens"],
        [30, "complete", "gardens"],
      ],
    ],
    [
      "Ended in gardens, 30s",
      [
        [0, "press", "gardens"],
        [30, "session_summary", undefined, { reason: "time-up" }],
      ],
    ],
    [
      "Ended after 2 failures, 5s",
      [
        [0, "death"],
        [5, "death"],
      ],
    ],
    [
      "Ended, 5s",
      [
        [0, "press"],
        [5, "press"],
      ],
    ],
  ])("is %s", (title, steps, hasCrashed) => {
    expect(titleOf(steps, hasCrashed)).toBe(title);
  });

  it("counts the failures of the last room only, and the time of the whole session", () => {
    const steps = [...repeated(4, "death", "dock", 0, 50), ...repeated(2, "death", "bridge", 200, 50)];
    expect(titleOf(steps)).toBe("Quit in bridge after 2 failures, 4m");
  });

  it("is one line of printable text, however the room is named", () => {
    expect(
      titleOf([
        [0, "press", "a\nb\u202e"],
        [5, "press", "a\nb\u202e"],
      ]),
    ).toBe("Ended in a b, 5s");
    expect(titleOf(repeated(2, "press", "x".repeat(150)))?.length).toBeLessThan(60);
  });

  it("is unknown without events", () => {
    expect(titleOf([])).toBeNull();
  });
});
