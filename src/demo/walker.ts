/** Simulates the movement of a player through a room as position samples. */
import { EVENTS } from "../shared/event-names.ts";
import type { DemoRoom, DemoRoomBounds, FloorPoint } from "./ember-rooms.ts";
import type { Random } from "./random.ts";
import type { Recorder } from "./recorder.ts";

/** Default walking speed, in meters per second. */
const WALKING_SPEED = 3.3;
/** Maximum deviation of a step from the straight line, in meters. */
const MAX_DEVIATION = 1.1;
/** A goal within this distance, in meters, counts as reached. */
const REACH_DISTANCE = 1.5;
/** Maximum number of samples on the way to a goal. */
const MAX_WALK_SAMPLES = 60;

export class Walker {
  readonly #recorder: Recorder;
  readonly #random: Random;
  readonly #bounds: DemoRoomBounds;
  /** Meters per second. */
  readonly #speed: number;
  #position: FloorPoint;

  /** Starts at the entrance of the room. `pace` is the walking speed relative to the default. */
  constructor(recorder: Recorder, random: Random, room: DemoRoom, pace: number) {
    this.#recorder = recorder;
    this.#random = random;
    this.#bounds = room.bounds;
    this.#speed = WALKING_SPEED * pace;
    this.#position = room.path[0];
  }

  /** The current position, in meters. */
  get position(): FloorPoint {
    return { x: this.#position.x, y: this.#position.y };
  }

  /** Moves the player near a point immediately, as after a respawn. */
  moveNear(point: FloorPoint): void {
    this.#move(point.x + this.#random.bell(), point.y + this.#random.bell());
  }

  /** Walks until the goal is reached, with occasional stops. */
  walkTo(goal: FloorPoint): void {
    for (let sample = 0; sample < MAX_WALK_SAMPLES && this.#distance(goal) > REACH_DISTANCE; sample++) {
      if (this.#random.chance(0.04)) this.linger(this.#position, 0.4, this.#random.int(1, 4));
      this.#step(goal);
    }
  }

  /** Stays within `radius` meters of a point for the given number of samples. */
  linger(center: FloorPoint, radius: number, samples: number): void {
    const { x, y } = center;
    for (let sample = 0; sample < samples; sample++) {
      this.#step({ x: x + this.#random.bell() * radius, y: y + this.#random.bell() * radius });
    }
  }

  /** Moves towards the goal by one sample. */
  #step(goal: FloorPoint): void {
    const ms = this.#random.int(1440, 1560);
    const distance = this.#distance(goal);
    const stride = Math.min(distance, (this.#speed * this.#random.between(0.6, 1.15) * ms) / 1000);
    const share = distance === 0 ? 0 : stride / distance;
    const deviation = Math.min(MAX_DEVIATION, stride / 2);
    this.#move(
      this.#position.x + (goal.x - this.#position.x) * share + this.#random.bell() * deviation,
      this.#position.y + (goal.y - this.#position.y) * share + this.#random.bell() * deviation,
    );
    this.#advance(ms, stride);
    this.#recorder.add(EVENTS.position, {
      x: this.#position.x,
      y: this.#position.y,
      room: this.#recorder.room,
    });
  }

  /** Advances the clock by one sample. A moving player may jump during it. */
  #advance(ms: number, stride: number): void {
    const jumpsAfter = stride > 1 && this.#random.chance(0.22) ? this.#random.int(200, 1200) : 0;
    if (jumpsAfter > 0) {
      this.#recorder.advance(jumpsAfter);
      this.#recorder.add("jump", { room: this.#recorder.room });
    }
    this.#recorder.advance(ms - jumpsAfter);
  }

  #distance(point: FloorPoint): number {
    return Math.sqrt((point.x - this.#position.x) ** 2 + (point.y - this.#position.y) ** 2);
  }

  #move(x: number, y: number): void {
    const { xMin, xMax, yMin, yMax } = this.#bounds;
    this.#position = { x: bounceInside(x, xMin, xMax), y: bounceInside(y, yMin, yMax) };
  }
}

/** Reflects a coordinate at the walls of the room, so that players do not stick to them. */
function bounceInside(value: number, low: number, high: number): number {
  if (value < low) return Math.min(high, low + (low - value));
  if (value > high) return Math.max(low, high - (value - high));
  return value;
}
