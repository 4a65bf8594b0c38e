/** Event names with a special meaning. A game may send any other name too. */
export const EVENTS = {
  /** A position sample, `{ x, y, room }`; heatmaps are built from these. */
  position: "player_pos",
  trace: "trace_chunk",
  /** The state snapshot so far. */
  heartbeat: "session_heartbeat",
  /** The final state snapshot; it ends the session. */
  summary: "session_summary",
  /** Frame times, memory and load times in one room, `{ frames, memoryMb, loadMs, room }`. */
  performance: "performance",
  /** The start of a session. Some SDKs send the platform and the version only in its data. */
  start: "session_start",
  focusLost: "focus_lost",
  focusGained: "focus_gained",
  idleStart: "idle_start",
  idleEnd: "idle_end",
  fpsDrop: "fps_drop",
  error: "application_error",
  crash: "crash_reported",
  playerDeath: "player_death",
  levelFailed: "level_failed",
  levelCompleted: "level_completed",
  rageQuit: "rage_quit",
} as const;

/** The name under which events are counted whose own name is not counted. They are stored unchanged. */
export const OTHER_EVENTS = "(other)";

/** What an event can mean in a game. docs/rules.md defines each meaning. */
export const eventMeanings = [
  "failure",
  "failure-state",
  "success",
  "success-state",
  "start",
  "reset",
  "giving-up",
] as const;
export type EventMeaning = (typeof eventMeanings)[number];

/** The event names that have each meaning by default. The event config of a game can override them. */
export const defaultEventNames: Readonly<Record<EventMeaning, readonly string[]>> = {
  failure: ["death", EVENTS.playerDeath, EVENTS.levelFailed, "game_over"],
  "failure-state": ["fail"],
  success: ["complete", EVENTS.levelCompleted],
  "success-state": ["succeed"],
  start: ["begin", "level_start", "level_started"],
  reset: ["reset", "restart", "reset_btn_press", "level_restart"],
  "giving-up": ["skip_button", "quit", EVENTS.rageQuit],
};
