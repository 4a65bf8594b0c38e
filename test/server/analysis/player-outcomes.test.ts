/** What several players of one device did in its rooms. */
import { describe, expect, test } from "vitest";
import { measureSessionTimes, readSessionOutcomes } from "../../../src/server/analysis/player-outcomes.ts";
import type { RecordedSession } from "../../../src/server/analysis/recorded-session.ts";
import { readRoomOutcomes } from "../../../src/server/analysis/room-outcomes.ts";
import { readPlay } from "../../../src/server/analysis/session-play.ts";
import { dividePlayers } from "../../../src/server/analysis/session-players.ts";
import { type Step, toRecordedSession } from "./recorded-sessions.ts";

/** Events 10 s apart, each as `player name room`; the player `-` names none. */
function outcomesOf(...texts: string[]) {
  return readOutcomes(playersSession(texts));
}

function readOutcomes(session: RecordedSession) {
  const play = readPlay(session);
  return readSessionOutcomes(play, dividePlayers(session, play), { hasCrashed: false });
}

function playersSession(texts: readonly string[]): RecordedSession {
  return toRecordedSession(
    texts.map((text, at): Step => {
      const [player = "-", name = "", room] = text.split(" ");
      return [at * 10, name, room, player === "-" ? {} : { player }];
    }),
  );
}

const quits = (...texts: string[]) =>
  outcomesOf(...texts)
    .filter(({ quit }) => quit)
    .map(({ room }) => room);

describe("a session of two players", () => {
  test("quits in a room if a player did, wherever the other one is", () => {
    expect(quits("p1 begin hall", "p2 begin attic", "p2 level_completed attic", "p1 death hall")).toEqual([
      "hall",
    ]);
    expect(quits("p1 begin hall", "p1 death hall", "p2 begin attic", "p2 death attic")).toEqual([
      "hall",
      "attic",
    ]);
  });

  test("does not quit in a room that the other one completed afterwards", () => {
    expect(quits("p1 begin hall", "p2 begin hall", "p1 death hall", "p2 level_completed hall")).toEqual([]);
    expect(quits("p1 begin hall", "p2 begin hall", "p2 level_completed hall", "p1 death hall")).toEqual([
      "hall",
    ]);
  });

  test("shares the events that name no player", () => {
    expect(quits("p1 begin hall", "p2 begin hall", "- level_completed hall")).toEqual([]);
    expect(quits("p1 begin hall", "p2 begin hall", "- session_summary", "- begin hall")).toEqual(["hall"]);
  });

  test("completes and fails a room if a player did", () => {
    expect(outcomesOf("p1 begin hall", "p2 begin hall", "p1 death hall", "p2 level_completed hall")).toEqual([
      expect.objectContaining({ room: "hall", completed: true, failed: true, quit: false, gaveUp: false }),
    ]);
    expect(outcomesOf("p1 begin hall", "p2 begin hall", "p2 rage_quit hall")).toMatchObject([
      { quit: true, gaveUp: true },
    ]);
  });
});

test("names of one player, and of too many, make no difference", () => {
  const session = (name: (at: number) => string) =>
    toRecordedSession(
      ["begin", "death", "level_completed"].flatMap((event, at) =>
        Array.from({ length: 20 }, (_, n): Step => [at * 100 + n, event, "hall", { player: name(n) }]),
      ),
    );
  for (const recorded of [session(() => "p1"), session((n) => `p${n}`)]) {
    expect(readOutcomes(recorded)).toEqual(
      readRoomOutcomes(recorded.events, readPlay(recorded), { hasCrashed: false }),
    );
  }
});

test("the time in a room is that of the fastest player who succeeded, or the longest one", () => {
  const measure = (...texts: string[]) => {
    const session = playersSession(texts);
    const play = readPlay(session);
    return measureSessionTimes(play, dividePlayers(session, play)).get("hall");
  };
  const steps = ["p1 begin hall", "p2 begin attic", "p1 jump hall", "p2 begin hall", "p2 jump hall"];
  expect(measure(...steps, "p1 level_completed hall", "p2 level_completed hall")).toEqual({
    ...{ ms: 30_000, longestMs: 50_000 },
  });
  expect(measure(...steps)).toEqual({ ms: 20_000, longestMs: 20_000 });
});
