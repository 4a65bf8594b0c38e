/** Event names with a special meaning. A game may send any other name too. */
export const EVENTS = {
  /** A position sample, `{ x, y, room }`; heatmaps are built from these. */
  position: "player_pos",
  /** The state snapshot so far. */
  heartbeat: "session_heartbeat",
  /** The final state snapshot; it ends the session. */
  summary: "session_summary",
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

/** The default meanings of events. The event config of a game can override them. */
export const FAILURE_EVENTS = ["death", EVENTS.playerDeath, EVENTS.levelFailed, "game_over"] as const;
export const FAILURE_STATE_EVENTS = ["fail"] as const;
export const SUCCESS_EVENTS = ["complete", EVENTS.levelCompleted] as const;
export const SUCCESS_STATE_EVENTS = ["succeed"] as const;
export const START_EVENTS = ["begin", "level_start", "level_started"] as const;
export const RESET_EVENTS = ["reset", "restart", "reset_btn_press", "level_restart"] as const;
export const GIVING_UP_EVENTS = ["skip_button", "quit", EVENTS.rageQuit] as const;
