/** Sessions that the demo studio does not have: jumping clocks, idle and unfocused play, reported times, co-op, performance and crash reports. */
import { NOW } from "../../harness.ts";
import type { Body, SentEvent } from "../telemetry-helpers.ts";

const START = NOW - 86_400_000;

/** Minutes since the start, event name, data. */
type Step = readonly [minutes: number, name: string, data?: Record<string, unknown>];

const toEvents = (steps: readonly Step[]): SentEvent[] =>
  steps.map(([minutes, name, data], at) => ({
    ...{ id: `e${at}`, name, timestamp: START + Math.round(minutes * 60_000) },
    ...(data ? { data } : {}),
  }));

const cave = { room: "cave" };

const sessions: Readonly<Record<string, readonly Step[]>> = {
  "clock set forward": [
    [0, "begin", cave],
    [4, "fail", cave],
    [124, "fail", cave],
    [126, "heartbeat", { playTimeSec: 7560, activeSec: 7500 }],
    [128, "complete", cave],
  ],
  "clock set back": [
    [200, "begin", cave],
    [203, "fail", cave],
    [80, "fail", cave],
    [85, "complete", cave],
  ],
  "idle and unfocused": [
    [0, "begin", cave],
    [1, "focus_lost"],
    [3, "idle_start"],
    [6, "focus_gained"],
    [7, "idle_end"],
    [8, "fail", cave],
    [9, "focus_lost"],
    [11, "fail", cave],
    [14, "heartbeat"],
  ],
  "reported times": [
    [0, "begin", cave],
    [5, "heartbeat", { playTimeSec: 420, wallSec: 600, activeSec: 360 }],
    [9, "fail", cave],
    [12, "game_over", cave],
  ],
  "three players": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((at) => [
    at / 2,
    at % 4 === 3 ? "complete" : "fail",
    { room: at < 6 ? "cave" : "lake", player: `p${at % 3}` },
  ]),
  performance: [
    [0, "begin", cave],
    [1, "performance", { room: "cave", frames: [3, 900, 40, 2], memoryMb: 420, loadMs: 1800 }],
    [2, "performance", { room: "lake", frames: [0, 700, 90, 8], memoryMb: 460 }],
    [3, "quit", { room: "lake" }],
  ],
  "crashed, and said so at the next start": [
    [20, "begin", cave],
    [22, "crash_reported", { crashedSessionId: "reported times", message: "Null reference", room: "cave" }],
    [26, "application_error", { message: "Out of memory", room: "cave" }],
  ],
};

/** The telemetry of the sessions, in two requests for each, as clients send it. */
export const handMadeSessions: readonly Body[] = Object.entries(sessions).flatMap(([name, steps]) => {
  const events = toEvents(steps);
  const half = Math.ceil(events.length / 2);
  const common = {
    ...{ gameId: "maze", deviceId: "dev_maze", clientSessionId: name, startedAt: START },
    sessionMetadata: { gameVersion: "1.0", platform: "linux" },
  };
  return [
    { ...common, events: events.slice(0, half) },
    { ...common, events: events.slice(half), sessionEnded: true },
  ];
});
