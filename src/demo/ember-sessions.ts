/** The session plans of Ember Hollow: testers, rooms, deaths, incidents and endings. */
import type { EmberBuild, RoomName } from "./ember-rooms.ts";
import type { SessionPlan } from "./plan-sessions.ts";

/**
 * How a session ends in its last room: `finish` completes the room, `stop` leaves without giving up, `quit` gives up,
 * `rage` gives up right after dying, `crash` ends with a crash report, and `lost` ends without any final event.
 */
export type Ending = "finish" | "stop" | "quit" | "rage" | "crash" | "lost";

/** An incident at the first arrival in the middle of a room. */
export type Incident = `${"error" | "fps" | "idle"}:${RoomName}`;

export interface EmberPlan extends SessionPlan {
  readonly build: EmberBuild;
  /** The first room (default: `dock`). */
  readonly from?: RoomName;
  /** The last room entered. */
  readonly to: RoomName;
  readonly end: Ending;
  /** Planned deaths by room. In other rooms, players die at most twice. */
  readonly deaths?: Partial<Readonly<Record<RoomName, number>>>;
  readonly incidents?: readonly Incident[];
}

type EmberPlanRow = Omit<EmberPlan, "build">;

const baseline: readonly EmberPlanRow[] = [
  { tester: "mika", daysAgo: 20.91, to: "ash-bridge", end: "stop", deaths: { "ash-bridge": 7 } },
  { tester: "oskar", daysAgo: 20.66, to: "observatory", end: "finish", deaths: { "ash-bridge": 9 } },
  { tester: "noor", daysAgo: 20.43, to: "observatory", end: "stop", deaths: { "ash-bridge": 6 } },
  { tester: "mika", daysAgo: 20.09, from: "ash-bridge", to: "observatory", end: "finish" },
  { tester: "marta", daysAgo: 19.78, to: "dock", end: "quit" },
  { tester: "bruno", daysAgo: 19.64, to: "ash-bridge", end: "rage", deaths: { "ash-bridge": 11 } },
  {
    tester: "yuki",
    daysAgo: 19.21,
    to: "observatory",
    end: "finish",
    deaths: { "lantern-stairs": 5 },
    incidents: ["idle:gardens"],
  },
  { tester: "lena", daysAgo: 18.88, to: "ash-bridge", end: "stop", deaths: { gardens: 5, "ash-bridge": 5 } },
  { tester: "theo", daysAgo: 18.52, to: "gardens", end: "crash" },
  { tester: "ines", daysAgo: 18.17, to: "observatory", end: "finish", deaths: { "ash-bridge": 8 } },
  { tester: "theo", country: "US", daysAgo: 17.94, from: "gardens", to: "observatory", end: "finish" },
  {
    tester: "caleb",
    daysAgo: 17.61,
    to: "ash-bridge",
    end: "stop",
    deaths: { "lantern-stairs": 6, "ash-bridge": 6 },
  },
  { tester: "farah", daysAgo: 17.3, to: "gardens", end: "stop", deaths: { gardens: 6 } },
  { tester: "sora", daysAgo: 16.83, to: "ash-bridge", end: "rage", deaths: { "ash-bridge": 10 } },
  {
    tester: "bruno",
    daysAgo: 16.46,
    from: "ash-bridge",
    to: "observatory",
    end: "stop",
    deaths: { "ash-bridge": 5 },
  },
  {
    tester: "hugo",
    daysAgo: 16.09,
    to: "observatory",
    end: "finish",
    deaths: { "ash-bridge": 7 },
    incidents: ["idle:observatory"],
  },
  { tester: "elif", daysAgo: 15.73, to: "gardens", end: "lost", deaths: { gardens: 5 } },
  { tester: "rafa", daysAgo: 15.38, to: "ash-bridge", end: "stop", deaths: { "ash-bridge": 5 } },
  { tester: "wren", daysAgo: 15.06, to: "ash-bridge", end: "finish", deaths: { "lantern-stairs": 6 } },
  { tester: "farah", daysAgo: 14.77, from: "ash-bridge", to: "observatory", end: "finish" },
  { tester: "anton", daysAgo: 14.41, to: "ash-bridge", end: "rage", deaths: { "ash-bridge": 8 } },
  { tester: "priya", daysAgo: 14.23, to: "gardens", end: "finish", deaths: { "lantern-stairs": 5 } },
  {
    tester: "jonas",
    daysAgo: 13.79,
    to: "observatory",
    end: "stop",
    deaths: { gardens: 7 },
    incidents: ["fps:ash-bridge"],
  },
  { tester: "priya", daysAgo: 13.54, from: "ash-bridge", to: "observatory", end: "finish" },
  { tester: "marta", daysAgo: 13.19, to: "gardens", end: "finish", deaths: { gardens: 6 } },
  { tester: "kenji", daysAgo: 12.91, to: "dock", end: "quit" },
  { tester: "kenji", daysAgo: 12.62, to: "gardens", end: "stop", deaths: { gardens: 5 } },
  { tester: "anton", daysAgo: 12.26, from: "ash-bridge", to: "observatory", end: "lost" },
];

/**
 * Testers come first to the game at a time whose return days 1, 2 and 7 are over at every hour of the demo's day, or at none:
 * not 1 to 3 or 7 to 8 days ago.
 */
const candidate: readonly EmberPlanRow[] = [
  { tester: "rig", daysAgo: 10.42, to: "furnace", end: "finish", environment: "staging" },
  {
    tester: "theo",
    country: "BR",
    daysAgo: 9.89,
    to: "furnace",
    end: "stop",
    deaths: { furnace: 8 },
    incidents: ["idle:observatory"],
  },
  { tester: "ines", daysAgo: 9.7, to: "observatory", end: "finish", incidents: ["error:observatory"] },
  { tester: "caleb", daysAgo: 9.38, to: "furnace", end: "stop", deaths: { furnace: 12 } },
  {
    tester: "dana",
    daysAgo: 9.12,
    to: "furnace",
    end: "finish",
    deaths: { furnace: 6 },
    incidents: ["error:observatory"],
  },
  {
    tester: "farah",
    daysAgo: 8.71,
    to: "furnace",
    end: "stop",
    deaths: { furnace: 6 },
    incidents: ["fps:ash-bridge"],
  },
  { tester: "sora", daysAgo: 8.5, to: "furnace", end: "finish", deaths: { furnace: 5 } },
  { tester: "hugo", daysAgo: 8.24, to: "furnace", end: "rage", deaths: { furnace: 9 } },
  { tester: "luca", daysAgo: 8.12, to: "furnace", end: "rage", deaths: { furnace: 10 } },
  { tester: "elif", daysAgo: 7.94, to: "gardens", end: "stop", deaths: { "lantern-stairs": 6 } },
  { tester: "caleb", daysAgo: 7.63, from: "furnace", to: "furnace", end: "finish", deaths: { furnace: 7 } },
  { tester: "sam", daysAgo: 6.96, to: "dock", end: "quit" },
  { tester: "rafa", daysAgo: 6.78, to: "furnace", end: "rage", deaths: { furnace: 14 } },
  {
    tester: "mei",
    daysAgo: 6.57,
    to: "furnace",
    end: "rage",
    deaths: { furnace: 9 },
    incidents: ["fps:ash-bridge"],
  },
  { tester: "wren", daysAgo: 6.36, to: "observatory", end: "stop", deaths: { "lantern-stairs": 5 } },
  { tester: "anton", daysAgo: 6.12, to: "furnace", end: "stop", deaths: { furnace: 7 } },
  { tester: "olu", daysAgo: 5.94, to: "furnace", end: "rage", deaths: { furnace: 11 } },
  { tester: "aiko", daysAgo: 5.73, to: "observatory", end: "stop", deaths: { gardens: 6 } },
  { tester: "priya", daysAgo: 5.49, to: "ash-bridge", end: "finish", deaths: { "lantern-stairs": 5 } },
  {
    tester: "jonas",
    daysAgo: 5.08,
    to: "observatory",
    end: "stop",
    deaths: { gardens: 5 },
    incidents: ["fps:ash-bridge"],
  },
  { tester: "hugo", daysAgo: 4.82, from: "furnace", to: "furnace", end: "finish", deaths: { furnace: 5 } },
  { tester: "tess", daysAgo: 4.63, to: "furnace", end: "stop", deaths: { furnace: 8 } },
  { tester: "marta", daysAgo: 4.4, to: "observatory", end: "finish", incidents: ["error:observatory"] },
  { tester: "sam", daysAgo: 4.11, to: "observatory", end: "finish", incidents: ["error:observatory"] },
  {
    tester: "pedro",
    daysAgo: 3.66,
    to: "furnace",
    end: "rage",
    deaths: { furnace: 11 },
    incidents: ["fps:ash-bridge"],
  },
  {
    tester: "kenji",
    daysAgo: 3.32,
    to: "furnace",
    end: "finish",
    incidents: ["idle:gardens", "error:observatory"],
  },
  { tester: "zoe", daysAgo: 3.24, to: "furnace", end: "crash", deaths: { "lantern-stairs": 5 } },
  { tester: "ravi", daysAgo: 3.19, to: "furnace", end: "rage", deaths: { furnace: 10 } },
  { tester: "nils", daysAgo: 3.14, to: "gardens", end: "lost", deaths: { "lantern-stairs": 6 } },
  { tester: "amara", daysAgo: 3.09, to: "furnace", end: "stop", deaths: { furnace: 5 } },
  { tester: "ida", daysAgo: 3.04, to: "furnace", end: "stop", deaths: { furnace: 7 } },
  { tester: "dana", daysAgo: 2.47, to: "dock", end: "quit" },
  { tester: "luca", daysAgo: 1.92, from: "furnace", to: "furnace", end: "stop", deaths: { furnace: 6 } },
  {
    tester: "nils",
    daysAgo: 1.79,
    from: "gardens",
    to: "ash-bridge",
    end: "finish",
    incidents: ["fps:ash-bridge"],
  },
  { tester: "theo", country: "VN", daysAgo: 0.4, from: "furnace", to: "furnace", end: "finish" },
  { tester: "wren", daysAgo: 0.05, from: "observatory", to: "furnace", end: "lost" },
];

/** Oldest first. */
export const emberPlans: readonly EmberPlan[] = [
  ...baseline.map((row) => ({ build: "0.8.0" as const, ...row })),
  ...candidate.map((row) => ({ build: "0.9.0" as const, ...row })),
];
