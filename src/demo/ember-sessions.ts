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

/** Who played how many days ago, how far, and how it ended. */
const plan = (
  tester: string,
  daysAgo: number,
  to: RoomName,
  end: Ending,
  more: Omit<EmberPlanRow, "tester" | "daysAgo" | "to" | "end"> = {},
): EmberPlanRow => ({ tester, daysAgo, to, end, ...more });

const baseline: readonly EmberPlanRow[] = [
  plan("mika", 20.91, "ash-bridge", "stop", { deaths: { "ash-bridge": 7 } }),
  plan("oskar", 20.66, "observatory", "finish", { deaths: { "ash-bridge": 9 } }),
  plan("noor", 20.43, "observatory", "stop", { deaths: { "ash-bridge": 6 } }),
  plan("mika", 20.09, "observatory", "finish", { from: "ash-bridge" }),
  plan("marta", 19.78, "dock", "quit"),
  plan("bruno", 19.64, "ash-bridge", "rage", { deaths: { "ash-bridge": 11 } }),
  plan("yuki", 19.21, "observatory", "finish", {
    deaths: { "lantern-stairs": 5 },
    incidents: ["idle:gardens"],
  }),
  plan("lena", 18.88, "ash-bridge", "stop", { deaths: { gardens: 5, "ash-bridge": 5 } }),
  plan("theo", 18.52, "gardens", "crash"),
  plan("ines", 18.17, "observatory", "finish", { deaths: { "ash-bridge": 8 } }),
  plan("theo", 17.94, "observatory", "finish", { country: "US", from: "gardens" }),
  plan("caleb", 17.61, "ash-bridge", "stop", { deaths: { "lantern-stairs": 6, "ash-bridge": 6 } }),
  plan("farah", 17.3, "gardens", "stop", { deaths: { gardens: 6 } }),
  plan("sora", 16.83, "ash-bridge", "rage", { deaths: { "ash-bridge": 10 } }),
  plan("bruno", 16.46, "observatory", "stop", { from: "ash-bridge", deaths: { "ash-bridge": 5 } }),
  plan("hugo", 16.09, "observatory", "finish", {
    deaths: { "ash-bridge": 7 },
    incidents: ["idle:observatory"],
  }),
  plan("elif", 15.73, "gardens", "lost", { deaths: { gardens: 5 } }),
  plan("rafa", 15.38, "ash-bridge", "stop", { deaths: { "ash-bridge": 5 } }),
  plan("wren", 15.06, "ash-bridge", "finish", { deaths: { "lantern-stairs": 6 } }),
  plan("farah", 14.77, "observatory", "finish", { from: "ash-bridge" }),
  plan("anton", 14.41, "ash-bridge", "rage", { deaths: { "ash-bridge": 8 } }),
  plan("priya", 14.23, "gardens", "finish", { deaths: { "lantern-stairs": 5 } }),
  plan("jonas", 13.79, "observatory", "stop", { deaths: { gardens: 7 }, incidents: ["fps:ash-bridge"] }),
  plan("priya", 13.54, "observatory", "finish", { from: "ash-bridge" }),
  plan("marta", 13.19, "gardens", "finish", { deaths: { gardens: 6 } }),
  plan("kenji", 12.91, "dock", "quit"),
  plan("kenji", 12.62, "gardens", "stop", { deaths: { gardens: 5 } }),
  plan("anton", 12.26, "observatory", "lost", { from: "ash-bridge" }),
];

/**
 * Testers come first to the game at a time whose return days 1, 2 and 7 are over at every hour of the demo's day, or at none:
 * not 1 to 3 or 7 to 8 days ago.
 */
const candidate: readonly EmberPlanRow[] = [
  plan("rig", 10.42, "furnace", "finish", { environment: "staging" }),
  plan("theo", 9.89, "furnace", "stop", {
    country: "BR",
    deaths: { furnace: 8 },
    incidents: ["idle:observatory"],
  }),
  plan("ines", 9.7, "observatory", "finish", { incidents: ["error:observatory"] }),
  plan("caleb", 9.38, "furnace", "stop", { deaths: { furnace: 12 } }),
  plan("dana", 9.12, "furnace", "finish", { deaths: { furnace: 6 }, incidents: ["error:observatory"] }),
  plan("farah", 8.71, "furnace", "stop", { deaths: { furnace: 6 }, incidents: ["fps:ash-bridge"] }),
  plan("sora", 8.5, "furnace", "finish", { deaths: { furnace: 5 } }),
  plan("hugo", 8.24, "furnace", "rage", { deaths: { furnace: 9 } }),
  plan("luca", 8.12, "furnace", "rage", { deaths: { furnace: 10 } }),
  plan("elif", 7.94, "gardens", "stop", { deaths: { "lantern-stairs": 6 } }),
  plan("caleb", 7.63, "furnace", "finish", { from: "furnace", deaths: { furnace: 7 } }),
  plan("sam", 6.96, "dock", "quit"),
  plan("rafa", 6.78, "furnace", "rage", { deaths: { furnace: 14 } }),
  plan("mei", 6.57, "furnace", "rage", { deaths: { furnace: 9 }, incidents: ["fps:ash-bridge"] }),
  plan("wren", 6.36, "observatory", "stop", { deaths: { "lantern-stairs": 5 } }),
  plan("anton", 6.12, "furnace", "stop", { deaths: { furnace: 7 } }),
  plan("olu", 5.94, "furnace", "rage", { deaths: { furnace: 11 } }),
  plan("aiko", 5.73, "observatory", "stop", { deaths: { gardens: 6 } }),
  plan("priya", 5.49, "ash-bridge", "finish", { deaths: { "lantern-stairs": 5 } }),
  plan("jonas", 5.08, "observatory", "stop", { deaths: { gardens: 5 }, incidents: ["fps:ash-bridge"] }),
  plan("hugo", 4.82, "furnace", "finish", { from: "furnace", deaths: { furnace: 5 } }),
  plan("tess", 4.63, "furnace", "stop", { deaths: { furnace: 8 } }),
  plan("marta", 4.4, "observatory", "finish", { incidents: ["error:observatory"] }),
  plan("sam", 4.11, "observatory", "finish", { incidents: ["error:observatory"] }),
  plan("pedro", 3.66, "furnace", "rage", { deaths: { furnace: 11 }, incidents: ["fps:ash-bridge"] }),
  plan("kenji", 3.32, "furnace", "finish", { incidents: ["idle:gardens", "error:observatory"] }),
  plan("zoe", 3.24, "furnace", "crash", { deaths: { "lantern-stairs": 5 } }),
  plan("ravi", 3.19, "furnace", "rage", { deaths: { furnace: 10 } }),
  plan("nils", 3.14, "gardens", "lost", { deaths: { "lantern-stairs": 6 } }),
  plan("amara", 3.09, "furnace", "stop", { deaths: { furnace: 5 } }),
  plan("ida", 3.04, "furnace", "stop", { deaths: { furnace: 7 } }),
  plan("dana", 2.47, "dock", "quit"),
  plan("luca", 1.92, "furnace", "stop", { from: "furnace", deaths: { furnace: 6 } }),
  plan("nils", 1.79, "ash-bridge", "finish", { from: "gardens", incidents: ["fps:ash-bridge"] }),
  plan("theo", 0.4, "furnace", "finish", { country: "VN", from: "furnace" }),
  plan("wren", 0.05, "furnace", "lost", { from: "observatory" }),
];

/** Oldest first. */
export const emberPlans: readonly EmberPlan[] = [
  ...baseline.map((row) => ({ build: "0.8.0" as const, ...row })),
  ...candidate.map((row) => ({ build: "0.9.0" as const, ...row })),
];
