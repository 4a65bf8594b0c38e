/** Generates the sessions of Ember Hollow from their plans. */
import { EVENTS } from "../shared/event-names.ts";
import { SOURCES } from "../shared/session-sources.ts";
import type { DemoSession } from "./bodies.ts";
import { emberBuilds, type RoomName } from "./ember-rooms.ts";
import { type EmberPlan, type Ending, emberPlans } from "./ember-sessions.ts";
import { Visit } from "./ember-visit.ts";
import { type DemoTester, planSessions } from "./plan-sessions.ts";
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

interface EmberTester extends DemoTester {
  readonly platform: "windows" | "linux" | "steamdeck";
  /** Walking speed relative to the default speed. */
  readonly pace: number;
}

const emberTesters: readonly EmberTester[] = [
  { key: "mika", handle: "mika_plays", platform: "windows", country: "DE", city: "Berlin", pace: 1 },
  { key: "oskar", platform: "linux", country: "DE", city: "Hamburg", pace: 0.9 },
  { key: "noor", handle: "noor.z", platform: "windows", country: "NL", city: "Utrecht", pace: 1.1 },
  { key: "bruno", handle: "brunofm", platform: "windows", country: "BR", city: "Campinas", pace: 0.85 },
  { key: "yuki", handle: "yuki_04", platform: "windows", country: "JP", city: "Osaka", pace: 0.8 },
  { key: "lena", platform: "steamdeck", country: "AT", city: "Graz", pace: 0.95 },
  { key: "theo", handle: "theo-lag", platform: "windows", country: "FR", city: "Lyon", pace: 0.8 },
  { key: "ines", handle: "inesita", platform: "windows", country: "ES", city: "Valencia", pace: 1.05 },
  { key: "caleb", handle: "calebq", platform: "windows", country: "US", city: "Portland", pace: 0.9 },
  { key: "farah", platform: "steamdeck", country: "FR", city: "Lille", pace: 1 },
  { key: "sora", handle: "sora_desu", platform: "windows", country: "JP", city: "Tokyo", pace: 1.1 },
  { key: "hugo", platform: "linux", country: "FR", city: "Nantes", pace: 1 },
  { key: "elif", handle: "elifk", platform: "windows", country: "TR", city: "İzmir", pace: 0.9 },
  { key: "rafa", handle: "rafa_br", platform: "windows", country: "BR", city: "Salvador", pace: 1.15 },
  { key: "wren", handle: "wrenwood", platform: "windows", country: "GB", city: "Dundee", pace: 0.95 },
  { key: "anton", platform: "linux", country: "SE", city: "Malmö", pace: 1.05 },
  { key: "priya", handle: "priya.plays", platform: "windows", country: "IN", city: "Bengaluru", pace: 0.9 },
  { key: "jonas", platform: "steamdeck", country: "DE", region: "Bavaria", city: "Nuremberg", pace: 0.85 },
  { key: "marta", handle: "martaw", platform: "windows", country: "PL", city: "Kraków", pace: 1 },
  { key: "kenji", platform: "windows", country: "JP", city: "Fukuoka", pace: 0.85 },
  { key: "dana", handle: "dana_k", platform: "windows", country: "US", city: "Austin", pace: 1 },
  { key: "luca", platform: "windows", country: "IT", city: "Turin", pace: 1.1 },
  { key: "mei", platform: "windows", country: "TW", city: "Taipei", pace: 0.95 },
  { key: "olu", platform: "steamdeck", country: "NG", city: "Lagos", pace: 1.05 },
  { key: "tess", platform: "windows", country: "AU", city: "Perth", pace: 1.1 },
  { key: "ravi", platform: "linux", country: "IN", city: "Pune", pace: 1 },
  { key: "ida", platform: "windows", country: "NO", city: "Bergen", pace: 0.9 },
  { key: "aiko", handle: "aiko", platform: "linux", country: "JP", city: "Kyoto", pace: 0.95 },
  { key: "sam", platform: "windows", country: "US", region: "Ohio", pace: 1 },
  { key: "pedro", handle: "pedrao", platform: "steamdeck", country: "BR", city: "Curitiba", pace: 1.05 },
  { key: "zoe", handle: "zoe_t", platform: "windows", country: "CA", city: "Montréal", pace: 0.9 },
  { key: "nils", platform: "steamdeck", country: "NO", city: "Bergen", pace: 1 },
  { key: "amara", handle: "amara.o", platform: "windows", country: "NG", city: "Lagos", pace: 0.95 },
  { key: "rig", handle: "qa-bench", platform: "windows", country: "DE", city: "Berlin", pace: 1.2 },
];
