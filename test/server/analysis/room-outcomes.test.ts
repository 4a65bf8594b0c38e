/** What a session did in its rooms, by the definitions of completing and quitting a room. */
import { describe, expect, test } from "vitest";
import { resolveMeanings } from "../../../src/server/analysis/meanings.ts";
import type { SessionEvent } from "../../../src/server/analysis/recorded-session.ts";
import { readRoomOutcomes } from "../../../src/server/analysis/room-outcomes.ts";
import { readPlay } from "../../../src/server/analysis/session-play.ts";

/** Events 10 s apart, each as `name` or `name room`, with a reason after a colon. */
function eventsOf(...texts: string[]): SessionEvent[] {
  return texts.map((text, at) => {
    const [words = "", reason] = text.split(":");
    const [name = "", room] = words.split(" ");
    const data = { ...(room === undefined ? {} : { room }), ...(reason === undefined ? {} : { reason }) };
    return { id: String(at), name, timestamp: at * 10_000, data };
  });
}

function outcomesOf(texts: readonly string[], hasCrashed = false) {
  const events = eventsOf(...texts);
  const play = readPlay({ events, meanings: resolveMeanings([]), snapshot: null, ended: true } as Parameters<
    typeof readPlay
  >[0]);
  return readRoomOutcomes(events, play, { hasCrashed });
}

const quits = (...texts: string[]) =>
  outcomesOf(texts)
    .filter(({ quit }) => quit)
    .map(({ room }) => room);

describe("a session quits in the last room that it entered", () => {
  test("unless it completed the room in its last visit", () => {
    expect(quits("begin hall", "death hall")).toEqual(["hall"]);
    expect(quits("begin hall", "level_completed hall")).toEqual([]);
    expect(quits("begin hall", "level_completed hall", "begin attic")).toEqual(["attic"]);
    expect(quits("begin hall", "level_completed hall", "begin attic", "begin hall")).toEqual(["hall"]);
  });

  test("unless the game ended it, or crashed", () => {
    expect(quits("begin hall", "session_summary hall:finished")).toEqual([]);
    expect(quits("begin hall", "session_summary hall:time-up")).toEqual([]);
    expect(quits("begin hall", "session_summary hall:menu")).toEqual(["hall"]);
    expect(outcomesOf(["begin hall", "death hall"], true)).toMatchObject([{ room: "hall", quit: false }]);
  });

  test("and gave up if an event says so", () => {
    expect(outcomesOf(["begin hall", "rage_quit hall"])).toMatchObject([{ quit: true, gaveUp: true }]);
    expect(outcomesOf(["begin hall", "death hall"])).toMatchObject([{ quit: true, gaveUp: false }]);
  });
});

describe("a visit completes a room", () => {
  test("by a success, unless something fails or gives up after it", () => {
    expect(outcomesOf(["begin hall", "death hall", "level_completed hall"])).toMatchObject([
      { completed: true, failed: true, quit: false },
    ]);
    expect(outcomesOf(["begin hall", "level_completed hall", "death hall"])).toMatchObject([
      { completed: false, failed: true, quit: true },
    ]);
    expect(outcomesOf(["begin hall", "level_completed hall", "rage_quit hall"])).toMatchObject([
      { completed: false, quit: true, gaveUp: true },
    ]);
  });
});

test("times are those of active play", () => {
  const outcomes = outcomesOf([
    "begin hall",
    "jump hall",
    "begin attic",
    "jump attic",
    "begin hall",
    "jump hall",
  ]);
  expect(outcomes).toMatchObject([
    { room: "hall", afterMs: 0, activeMs: 30_000 },
    { room: "attic", afterMs: 20_000, activeMs: 20_000 },
  ]);
});
