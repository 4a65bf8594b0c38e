/**
 * Generates recorded sessions of three games with a fixed seed: a puzzle whose sliders cross the solution, the same puzzle
 * without start events, and a platformer with deaths. The sessions contain what misled earlier rules: rooms that start
 * in a failed state, skips right after entering, skips of something else, returns, restarts, double presses, idle times, lost
 * focus that is never regained, failures that are reported twice, and crashes that are reported at the next start.
 */
import { createRandom } from "../random.ts";
import type { PlayBody, PlayEvent } from "./recording.ts";

const START = Date.UTC(2026, 0, 5, 9);
const HOUR_MS = 3_600_000;
const ROOMS = ["level-00", "level-01", "level-02", "level-03", "level-04", "level-05"] as const;

class Player {
  readonly events: PlayEvent[] = [];
  readonly #random: () => number;
  #now: number;
  room: string | undefined;

  constructor(startedAt: number, random: () => number) {
    this.#now = startedAt;
    this.#random = random;
  }

  /** Adds an event after a time in ms. */
  add(afterMs: number, name: string, data: Record<string, unknown> = {}): void {
    this.#now += Math.round(afterMs);
    const room = this.room === undefined ? {} : { room: this.room };
    this.events.push({
      id: this.events.length.toString(16),
      name,
      timestamp: this.#now,
      data: { ...room, ...data },
    });
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.#random();
  }

  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  times(low: number, high: number, action: () => void): void {
    const count = Math.floor(this.between(low, high + 1));
    for (let at = 0; at < count; at++) action();
  }

  pick<T>(...items: readonly [T, ...T[]]): T {
    return items[Math.floor(this.between(0, items.length))] ?? items[0];
  }
}

/** Sliders: a failed state at the start, flicker while a slider crosses the solution, and lasting failed states. */
function playPuzzleRoom(player: Player, room: string, hasStarts: boolean): void {
  player.room = room;
  player.add(player.between(200, 3000), hasStarts ? "begin" : "enter");
  if (player.chance(0.7)) player.add(player.pick(1, 1, 20, 999, 1000), "fail");
  if (player.chance(0.1)) {
    player.add(player.pick(40, 5000), "skip_button");
    if (player.chance(0.7)) return;
  }
  const isHard = room === "level-03";
  player.times(0, isHard ? 9 : 4, () => moveSlider(player, hasStarts, isHard));
  if (isHard && player.chance(0.5)) failRepeatedly(player, room, hasStarts);
  if (player.chance(0.15)) player.add(player.between(30_000, 59_000), "arrow_move_release");
  if (player.chance(0.2)) player.add(player.between(60_001, 300_000), "arrow_move_release");
  const ending = player.between(0, 1);
  if (ending < (isHard ? 0.35 : 0.75)) {
    player.add(player.between(500, 8000), "succeed");
    if (hasStarts) player.add(player.pick(10, 1200), "complete");
  } else if (ending < 0.85) {
    if (player.chance(0.5)) player.add(player.pick(1200, 5000), "fail");
    player.add(player.between(500, 40_000), "skip_button");
    if (player.chance(0.5)) player.add(player.pick(50, 2500, 8000), "slider_move_release");
  }
}

/** A slider that may cross the solution, a failed state, a reset, or a moment without focus. */
function moveSlider(player: Player, hasStarts: boolean, isHard: boolean): void {
  player.add(player.between(300, isHard ? 30_000 : 5000), "slider_move_release");
  const trap = player.between(0, 1);
  if (trap < 0.35) {
    player.add(player.between(0, 400), "succeed");
    player.add(player.pick(51, 700, 999, 1000, 2500), "fail");
  } else if (trap < 0.5) {
    player.add(player.pick(800, 1000, 4000), "fail");
    if (player.chance(0.5)) player.add(player.pick(300, 999, 1000), "succeed");
  } else if (trap < (isHard ? 0.8 : 0.55)) {
    if (hasStarts) player.add(player.between(800, 9000), "reset_btn_press");
    if (hasStarts && player.chance(0.3)) player.add(player.pick(300, 999, 1000), "reset_btn_press");
    if (hasStarts && player.chance(0.6)) player.add(2, "fail");
  } else if (trap < 0.85 && player.chance(0.15)) {
    player.add(100, "focus_lost");
    if (player.chance(0.7)) player.add(player.between(5000, 200_000), "focus_gained");
  }
}

/** Several failures, sometimes with something in between, so that they are not in a row. */
function failRepeatedly(player: Player, room: string, hasStarts: boolean): void {
  const interruption = player.pick(
    "none",
    "none",
    "menu",
    "skip_button",
    "reset_btn_press",
    "succeed",
    "pause",
  );
  player.times(5, 9, () => {
    if (hasStarts) player.add(player.between(1000, 12_000), "begin");
    player.add(player.between(1000, 9000), "slider_move_release");
    player.add(player.pick(1000, 1500, 4000), "fail");
    if (interruption === "none" || !player.chance(0.25)) return;
    if (interruption === "menu") {
      player.room = "menu";
      player.add(2000, "menu_button");
      player.room = room;
      player.add(player.pick(1500, 70_000), "slider_move_release");
    } else if (interruption === "pause") player.add(player.between(60_001, 200_000), "slider_move_release");
    else if (hasStarts || interruption !== "reset_btn_press") player.add(2000, interruption);
  });
}

/** Runs and deaths: some deaths are reported twice, some rooms have no checkpoints, and players stand still. */
function playPlatformerRoom(player: Player, room: string): void {
  player.room = room;
  player.add(player.between(200, 3000), "room_enter");
  const isHard = room === "level-02";
  const walk = (steps: number, speed: number) => {
    for (let at = 0; at < steps; at++) {
      player.add(player.between(400, 900), "player_pos", { x: at * speed, y: player.between(0, speed) });
    }
  };
  walk(22, 5);
  player.times(isHard ? 3 : 0, isHard ? 14 : 2, () => {
    walk(3, 4);
    player.add(player.between(200, 5000), "player_death");
    if (player.chance(0.4)) player.add(player.pick(0, 300, 999, 1000, 2500, 9999, 10_000), "game_over");
    if (player.chance(0.2)) player.add(player.pick(300, 999), "player_death");
    if (player.chance(0.3)) player.add(player.between(500, 3000), "restart");
  });
  if (player.chance(0.2)) {
    for (let at = 0; at < 60; at++) {
      player.add(900, "player_pos", { x: 3, y: 3 });
      if (at % 5 === 0) player.add(10, "jump");
    }
  }
  if (player.chance(0.3)) {
    player.times(1, 5, () => player.add(200, "fps_drop", { fps: player.between(11, 25) }));
  }
  if (player.chance(0.15)) player.add(300, "application_error", { message: "Texture not found" });
  if (player.chance(0.15)) {
    player.add(500, "idle_start");
    player.add(player.pick(90_000, 119_999, 120_000, 400_000), player.pick("idle_end", "jump"));
    player.add(900, "jump");
  }
  if (player.chance(isHard ? 0.4 : 0.85)) {
    player.add(player.between(500, 5000), "level_completed");
    return;
  }
  if (player.chance(0.6)) player.add(player.between(500, 45_000), player.pick("rage_quit", "quit"));
}

const GAMES = ["sliders", "states", "runner"] as const;

/** Plays the rooms of a game. Some are entered again, and some sessions end early. */
function playSession(player: Player, game: (typeof GAMES)[number]): void {
  for (const room of ROOMS) {
    const play = () => {
      if (game === "runner") playPlatformerRoom(player, room);
      else playPuzzleRoom(player, room, game === "sliders");
    };
    play();
    if (player.chance(0.15)) {
      player.room = "menu";
      player.add(player.between(300, 5000), "menu_button");
      play();
    }
    if (player.chance(0.1)) player.add(100, "game_over", { room: undefined });
    if (player.chance(0.08)) break;
  }
  if (player.chance(0.3)) player.add(player.between(100, 60_000), "slider_move_release");
}

/** Generates the telemetry of some sessions per game, in the order in which it is sent. */
export function generatePlay(sessionsPerGame = 24, seed = 18): PlayBody[] {
  const random = createRandom(seed);
  return GAMES.flatMap((game, gameIndex) => {
    /** The sessions that crashed, by device. The next session of the device reports it. */
    const crashed = new Map<string, string>();
    return Array.from({ length: sessionsPerGame }, (_, at) => {
      const startedAt = START + (at * GAMES.length + gameIndex) * 3 * HOUR_MS;
      const player = new Player(startedAt, random);
      const deviceId = `dev_${game}_${at % 9}`;
      const clientSessionId = `${game}-${at}`;
      const crashedSessionId = crashed.get(deviceId);
      if (crashedSessionId) player.add(10, "crash_reported", { crashedSessionId, message: "Out of memory" });
      crashed.delete(deviceId);
      playSession(player, game);
      if (player.chance(0.2)) crashed.set(deviceId, clientSessionId);
      const half = player.events.length >> 1;
      const common = {
        gameId: game,
        clientSessionId,
        deviceId,
        environment: at % 7 === 6 ? "lab" : "production",
        startedAt,
        sessionMetadata: { gameVersion: at < sessionsPerGame * 0.6 ? "1.0" : "1.1", platform: "web" },
      };
      return [
        { ...common, events: player.events.slice(0, half) },
        { ...common, sessionEnded: true, events: player.events.slice(half) },
      ];
    }).flat();
  });
}
