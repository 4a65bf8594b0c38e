/** Simulates one visit to a room of Ember Hollow: movement, deaths, pickups and incidents. */
import { EVENTS } from "../shared/event-names.ts";
import {
  type DemoRoom,
  emberRooms,
  type FloorPoint,
  type Hazard,
  type RoomName,
  type Waypoint,
} from "./ember-rooms.ts";
import type { Incident } from "./ember-sessions.ts";
import type { Random } from "./random.ts";
import type { Recorder } from "./recorder.ts";
import { Walker } from "./walker.ts";

/** Index of the waypoint where incidents happen. All hazards come after it. */
const INCIDENT_AT = 2;

export interface VisitPlan {
  readonly room: RoomName;
  /** Walking speed relative to the default speed. */
  readonly pace: number;
  /** Number of deaths. If absent, at most two, depending on the room. */
  readonly deaths?: number | undefined;
  readonly incidents: readonly Incident[];
}

export class Visit {
  readonly #recorder: Recorder;
  readonly #random: Random;
  readonly #plan: VisitPlan;
  readonly #room: DemoRoom;
  readonly #walker: Walker;
  /** Waypoints and landmarks that the player has already reached. They have no effect a second time. */
  readonly #reached = new Set<FloorPoint>();
  /** Index of the next waypoint. */
  #next = 0;

  constructor(recorder: Recorder, random: Random, plan: VisitPlan) {
    this.#recorder = recorder;
    this.#random = random;
    this.#plan = plan;
    this.#room = emberRooms[plan.room];
    this.#walker = new Walker(recorder, random, this.#room, plan.pace);
  }

  /** Enters the room and dies there as often as planned, with a respawn at the last checkpoint each time. */
  enter(): void {
    const { room } = this.#plan;
    this.#recorder.advance(this.#random.int(600, 1800));
    this.#recorder.room = room;
    this.#recorder.add("room_enter", { room });
    const { dialog } = this.#room;
    if (dialog !== undefined) this.#talk(dialog);
    if (this.#random.chance(0.12)) this.#loseFocus();
    for (const hazard of this.#fatalHazards()) {
      this.#walkPath(hazard.after);
      this.#die(hazard);
    }
  }

  /** Walks to the exit. */
  complete(): void {
    const { room } = this.#plan;
    this.#walkPath(this.#room.path.length - 1);
    this.#recorder.advance(this.#random.int(300, 900));
    this.#recorder.count("roomsCompleted");
    this.#recorder.add(EVENTS.levelCompleted, { room, deaths: this.#recorder.counts.deaths });
  }

  /** Walks to the middle of the room and wanders around for the given number of position samples. */
  stroll(samples: number): void {
    this.#walkPath(INCIDENT_AT);
    const landmark = this.#random.pick(this.#room.landmarks);
    this.#walker.walkTo(landmark);
    this.#walker.linger(landmark, 7, samples);
  }

  /** Stays in place for the given number of position samples. */
  hesitate(samples: number): void {
    this.#walker.linger(this.#walker.position, 2, samples);
  }

  #talk(dialog: string): void {
    this.#recorder.advance(this.#random.int(900, 6000));
    if (this.#random.chance(0.45)) this.#recorder.add("dialog_skip", { dialog, room: this.#plan.room });
  }

  #loseFocus(): void {
    this.#pause(EVENTS.focusLost, EVENTS.focusGained, this.#random.int(5_000, 25_000));
  }

  #pause(start: string, end: string, ms: number): void {
    const { room } = this.#plan;
    this.#recorder.advance(this.#random.int(400, 1500));
    this.#recorder.add(start, { room });
    this.#recorder.active = false;
    this.#recorder.advance(ms);
    this.#recorder.active = true;
    this.#recorder.add(end, { room });
  }

  /** The hazards of the planned deaths, in the order of the path. */
  #fatalHazards(): Hazard[] {
    const [first, ...others] = this.#room.hazards;
    if (first === undefined) return [];
    const slips = this.#random.chance(this.#room.slips) ? this.#random.int(1, 2) : 0;
    const fatal = Array.from({ length: this.#plan.deaths ?? slips }, () =>
      this.#random.pick([first, ...others]),
    );
    return fatal.sort((a, b) => a.after - b.after);
  }

  /** Walks the path up to and including the waypoint with this index. */
  #walkPath(until: number): void {
    for (const waypoint of this.#room.path.slice(this.#next, until + 1)) {
      const { x, y } = waypoint;
      this.#walker.walkTo({ x: x + this.#random.bell(), y: y + this.#random.bell() });
      this.#arrive(waypoint, this.#next);
      this.#next += 1;
    }
  }

  #arrive(waypoint: Waypoint, index: number): void {
    if (!this.#reached.has(waypoint)) {
      this.#reached.add(waypoint);
      if (waypoint.checkpoint) this.#recorder.add("checkpoint", { room: this.#plan.room, checkpoint: index });
      if (index === INCIDENT_AT) this.#addIncidents();
    }
    for (const landmark of this.#room.landmarks) {
      if (landmark.after !== index || this.#reached.has(landmark)) continue;
      this.#reached.add(landmark);
      if (!this.#random.chance(0.7)) continue;
      this.#walker.walkTo(landmark);
      this.#walker.linger(landmark, 3, this.#random.int(6, 22));
      this.#recorder.add("pickup", { room: this.#plan.room, item: landmark.item });
    }
    for (const hazard of this.#room.hazards) {
      if (hazard.after === index) this.#walker.linger(hazard, hazard.radius, this.#random.int(2, 7));
    }
  }

  #die(hazard: Hazard): void {
    const { room } = this.#plan;
    this.#walker.linger(hazard, hazard.radius, this.#random.int(5, 15));
    this.#recorder.advance(this.#random.int(150, 900));
    this.#recorder.count("deaths");
    this.#recorder.add(EVENTS.playerDeath, { room, ...this.#walker.position, cause: hazard.cause });
    this.#recorder.advance(this.#random.int(2200, 3400));
    const path = this.#room.path.slice(0, hazard.after + 1);
    const checkpoint = Math.max(
      0,
      path.findLastIndex((waypoint) => waypoint.checkpoint),
    );
    this.#walker.moveNear(path[checkpoint] ?? this.#room.path[0]);
    this.#next = checkpoint + 1;
  }

  #addIncidents(): void {
    const { room, incidents } = this.#plan;
    if (incidents.includes(`error:${room}`)) {
      const message = "NullReferenceException: Object reference not set to an instance of an object";
      this.#recorder.add(EVENTS.error, { room, message, where: "StarLens.Align" });
    }
    if (incidents.includes(`fps:${room}`)) {
      for (let drops = this.#random.int(4, 7); drops > 0; drops--) {
        this.#recorder.add(EVENTS.fpsDrop, {
          room,
          fps: this.#random.int(13, 24),
          ms: this.#random.int(900, 2600),
        });
        this.hesitate(this.#random.int(1, 3));
      }
    }
    if (incidents.includes(`idle:${room}`)) {
      this.#pause(EVENTS.idleStart, EVENTS.idleEnd, this.#random.int(170_000, 290_000));
    }
  }
}
