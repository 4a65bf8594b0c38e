/** Generates the sessions of Ember Hollow from their plans. */
import { EVENTS } from "../shared/event-names.ts";
import { SOURCES } from "../shared/session-sources.ts";
import type { DemoSession } from "./bodies.ts";
import { emberBuilds, type RoomName } from "./ember-rooms.ts";
import { type EmberPlan, type Ending, emberPlans } from "./ember-sessions.ts";
import { type EmberTester, emberTesters } from "./ember-testers.ts";
import { Visit } from "./ember-visit.ts";
import { planSessions } from "./plan-sessions.ts";
import type { Random } from "./random.ts";
import { Recorder, type Recording } from "./recorder.ts";

/** All planned sessions. Their events are generated when `play` is called. */
export function emberSessions(): DemoSession[] {
  return planSessions({
    slug: "ember",
    name: "Ember Hollow",
    source: SOURCES.unity,
    testers: emberTesters,
    plans: emberPlans,
    engineVersion: (plan) => emberBuilds[plan.build].engineVersion,
    startsFrom: (plan) => plan.from ?? "dock",
    play,
  });
}

function play(plan: EmberPlan, { pace }: EmberTester, random: Random): Recording {
  const recorder = new Recorder({ deaths: 0, roomsCompleted: 0 });
  const rooms = listVisitedRooms(plan);
  for (const room of rooms) {
    const visit = new Visit(recorder, random, {
      room,
      pace,
      deaths: plan.deaths?.[room],
      incidents: plan.incidents ?? [],
    });
    visit.enter();
    if (room === rooms.at(-1)) endings[plan.end](visit, recorder, random);
    else visit.complete();
  }
  return { events: recorder.events, ended: plan.end !== "lost" };
}

/** The rooms that a session visits, in the order of the build. */
function listVisitedRooms(plan: EmberPlan): RoomName[] {
  const order: readonly RoomName[] = emberBuilds[plan.build].rooms;
  const first = order.indexOf(plan.from ?? "dock");
  const last = order.indexOf(plan.to);
  if (first < 0 || last < first)
    throw new RangeError(`Build ${plan.build} has no path from ${plan.from} to ${plan.to}`);
  return order.slice(first, last + 1);
}

/** Simulates the ending after the last death. Endings other than `rage` leave well over 30 s after the last death. */
const endings: Record<Ending, (visit: Visit, recorder: Recorder, random: Random) => void> = {
  finish(visit, recorder, random) {
    visit.complete();
    recorder.advance(random.int(2_000, 9_000));
    recorder.addSummary();
  },
  stop(visit, recorder, random) {
    visit.stroll(random.int(32, 44));
    recorder.addSummary();
  },
  quit(visit, recorder, random) {
    visit.stroll(random.int(16, 24));
    recorder.add("quit", { room: recorder.room });
    recorder.advance(random.int(300, 900));
    recorder.addSummary();
  },
  rage(visit, recorder, random) {
    visit.hesitate(random.int(1, 5));
    recorder.add(EVENTS.rageQuit, { room: recorder.room });
    recorder.advance(random.int(300, 900));
    recorder.addSummary();
  },
  crash(visit, recorder, random) {
    visit.stroll(random.int(10, 18));
    recorder.add(EVENTS.crash, { room: recorder.room, signal: "SIGSEGV", module: "UnityPlayer" });
  },
  lost(visit, _recorder, random) {
    visit.stroll(random.int(30, 50));
  },
};
