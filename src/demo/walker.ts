/** A player's steps through a room: towards a goal, sampled as positions on the way. */
import { EVENTS } from "../shared/event-names.ts";
import type { DemoRoom, DemoRoomBounds, FloorPoint } from "./ember-rooms.ts";
import type { Random } from "./random.ts";
import type { Recorder } from "./recorder.ts";

/** Usual walking speed, in metres a second. */
const WALKING_SPEED = 3.3;
/** How far a step strays from its line at most, in metres. */
const MAX_STRAY = 1.1;
/** A goal nearer than this, in metres, is reached. */
const REACH_DISTANCE = 1.5;
/** A goal out of reach is given up after this many samples. */
const MAX_WALK_SAMPLES = 60;

export class Walker {
  readonly #recorder: Recorder;
  readonly #random: Random;
  readonly #bounds: DemoRoomBounds;
  /** Metres a second. */
  readonly #speed: number;
  #at: FloorPoint;

  /** Stands at the room's entrance; `pace` is the player's speed against the usual one. */
  constructor(recorder: Recorder, random: Random, room: DemoRoom, pace: number) {
    this.#recorder = recorder;
    this.#random = random;
    this.#bounds = room.bounds;
    this.#speed = WALKING_SPEED * pace;
    this.#at = room.path[0];
  }

  /** Where the player stands, in metres. */
  get at(): FloorPoint {
    return { x: this.#at.x, y: this.#at.y };
  }

  /** Puts the player near a place, without any time passing. */
  place(point: FloorPoint): void {
    this.#move(point.x + this.#random.bell(), point.y + this.#random.bell());
  }

  /** Walks until the goal is reached, at times stopping to look around. */
  walkTo(goal: FloorPoint): void {
    for (let sample = 0; sample < MAX_WALK_SAMPLES && this.#distance(goal) > REACH_DISTANCE; sample++) {
      if (this.#random.chance(0.04)) this.linger(this.#at, 0.4, this.#random.int(1, 4));
      this.#step(goal);
    }
  }

  /** Stays within `radius` metres of a place for so many samples. */
  linger(around: FloorPoint, radius: number, samples: number): void {
    const { x, y } = around;
    for (let sample = 0; sample < samples; sample++) {
      this.#step({ x: x + this.#random.bell() * radius, y: y + this.#random.bell() * radius });
    }
  }

  /** One sample's time and way towards a goal. */
  #step(goal: FloorPoint): void {
    const ms = this.#random.int(1440, 1560);
    const far = this.#distance(goal);
    const stride = Math.min(far, (this.#speed * this.#random.between(0.6, 1.15) * ms) / 1000);
    const share = far === 0 ? 0 : stride / far;
    const stray = Math.min(MAX_STRAY, stride / 2);
    this.#move(
      this.#at.x + (goal.x - this.#at.x) * share + this.#random.bell() * stray,
      this.#at.y + (goal.y - this.#at.y) * share + this.#random.bell() * stray,
    );
    this.#pass(ms, stride);
    this.#recorder.add(EVENTS.position, { x: this.#at.x, y: this.#at.y, room: this.#recorder.room });
  }

  /** Lets a sample's time pass; a player on the move may jump meanwhile. */
  #pass(ms: number, stride: number): void {
    const jumpsAfter = stride > 1 && this.#random.chance(0.22) ? this.#random.int(200, 1200) : 0;
    if (jumpsAfter > 0) {
      this.#recorder.advance(jumpsAfter);
      this.#recorder.add("jump", { room: this.#recorder.room });
    }
    this.#recorder.advance(ms - jumpsAfter);
  }

  #distance(point: FloorPoint): number {
    return Math.sqrt((point.x - this.#at.x) ** 2 + (point.y - this.#at.y) ** 2);
  }

  #move(x: number, y: number): void {
    const { xMin, xMax, yMin, yMax } = this.#bounds;
    this.#at = { x: bounceInside(x, xMin, xMax), y: bounceInside(y, yMin, yMax) };
  }
}

/** A wall sends a player back by as much as they ran into it, so that nobody sticks to it. */
function bounceInside(value: number, low: number, high: number): number {
  if (value < low) return Math.min(high, low + (low - value));
  if (value > high) return Math.max(low, high - (value - high));
  return value;
}
