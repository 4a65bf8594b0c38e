/** When a funnel counts a room as entered. */
import { describe, expect, it } from "vitest";
import {
  advance,
  parseSteps,
  readFunnelEvents,
  type StepTimes,
} from "../../../src/server/analytics/funnel.ts";

/** The times, in seconds, at which the steps are reached. Each session is a text of events as `name@room`, 1 second apart. */
function reach(steps: string, ...sessions: string[]): number[] {
  const reached: StepTimes = [];
  for (const [at, session] of sessions.entries()) {
    const events = session.split(" ").map((text, n) => {
      const [name = "", room] = text.split("@");
      return { id: `e${n}`, name, timestamp: at * 100 + n, data: room === undefined ? {} : { room } };
    });
    advance(reached, parseSteps(steps), readFunnelEvents(events), 0);
  }
  return reached;
}

describe("a room step of a funnel", () => {
  it("does not count the events after entering the room", () => {
    expect(reach("room:pit,room:pit", "jump@pit jump@pit menu jump@pit")).toEqual([0]);
  });

  it("counts a return from another room", () => {
    expect(reach("room:pit,room:pit", "jump@pit jump@hall jump@pit")).toEqual([0, 2]);
  });

  it("counts a return in a later session", () => {
    expect(reach("room:pit,room:pit", "jump@pit", "menu jump@pit")).toEqual([0, 101]);
  });

  it("does not count a room in which the player already was at the step before", () => {
    expect(reach("death,room:pit", "jump@pit death@pit jump@pit jump@pit")).toEqual([1]);
    expect(reach("death,room:pit", "jump@pit death@pit jump@hall jump@pit")).toEqual([1, 3]);
  });

  it("shares the event that enters the room with the event step before or after it, but not with both", () => {
    expect(reach("room:pit,start", "start@pit")).toEqual([0, 0]);
    expect(reach("start,room:pit", "start@pit")).toEqual([0, 0]);
    expect(reach("start,room:pit,start", "start@pit")).toEqual([0, 0]);
    expect(reach("start,start", "start@pit")).toEqual([0]);
  });
});
