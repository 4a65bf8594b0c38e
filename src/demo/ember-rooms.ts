/** The rooms of Ember Hollow: paths, items and hazards. */
import type { TraceBounds } from "../shared/traces.ts";

/** A position on the floor of a room, in meters. */
export interface FloorPoint {
  readonly x: number;
  readonly y: number;
}

export interface Waypoint extends FloorPoint {
  /** Players who die after this waypoint respawn here. */
  readonly checkpoint?: true;
}

/** An item off the path. */
export interface Landmark extends FloorPoint {
  readonly item: string;
  /** Index of the waypoint where players leave the path. */
  readonly after: number;
}

/** A position where players die. */
export interface Hazard extends FloorPoint {
  /** Index of the last waypoint before it. */
  readonly after: number;
  /** Radius of the fight around the position, in meters. */
  readonly radius: number;
  readonly cause: string;
}

export type DemoRoomBounds = TraceBounds;

export interface DemoRoom {
  readonly bounds: DemoRoomBounds;
  /** From the entrance to the exit. */
  readonly path: readonly [Waypoint, ...Waypoint[]];
  readonly landmarks: readonly [Landmark, ...Landmark[]];
  readonly hazards: readonly Hazard[];
  /** Share of visits without planned deaths that still have one or two deaths, 0 to 1. */
  readonly slips: number;
  /** A dialog that some players skip. */
  readonly dialog?: string;
}

const dock: DemoRoom = {
  bounds: { xMin: -40, xMax: 60, yMin: 0, yMax: 30 },
  path: [
    { x: -36, y: 4 },
    { x: -20, y: 6 },
    { x: -4, y: 12 },
    { x: 12, y: 10 },
    { x: 30, y: 16, checkpoint: true },
    { x: 48, y: 24 },
    { x: 57, y: 27 },
  ],
  landmarks: [{ x: 14, y: 3, item: "oil-flask", after: 3 }],
  hazards: [],
  slips: 0,
  dialog: "harbour-master",
};

const lanternStairs: DemoRoom = {
  bounds: { xMin: 0, xMax: 48, yMin: 0, yMax: 64 },
  path: [
    { x: 4, y: 3 },
    { x: 22, y: 5 },
    { x: 42, y: 9 },
    { x: 44, y: 19, checkpoint: true },
    { x: 24, y: 22 },
    { x: 6, y: 26 },
    { x: 5, y: 36, checkpoint: true },
    { x: 24, y: 40 },
    { x: 43, y: 44 },
    { x: 42, y: 54 },
    { x: 24, y: 58 },
    { x: 22, y: 63 },
  ],
  landmarks: [
    { x: 45, y: 4, item: "lantern-shard", after: 2 },
    { x: 2, y: 30, item: "lantern-shard", after: 5 },
    { x: 46, y: 58, item: "oil-flask", after: 9 },
  ],
  hazards: [
    { x: 15, y: 24, after: 4, radius: 4, cause: "fall" },
    { x: 33, y: 42, after: 7, radius: 5, cause: "swinging-lantern" },
  ],
  slips: 0.45,
};

const gardens: DemoRoom = {
  bounds: { xMin: -60, xMax: 60, yMin: -45, yMax: 45 },
  path: [
    { x: -55, y: -38 },
    { x: -40, y: -20 },
    { x: -46, y: 6 },
    { x: -30, y: 30, checkpoint: true },
    { x: -6, y: 34 },
    { x: 4, y: 8 },
    { x: -2, y: -18, checkpoint: true },
    { x: 22, y: -32 },
    { x: 44, y: -12 },
    { x: 40, y: 18 },
    { x: 56, y: 38 },
  ],
  landmarks: [
    { x: -54, y: 22, item: "seed-pouch", after: 2 },
    { x: 12, y: 38, item: "seed-pouch", after: 4 },
    { x: 50, y: -36, item: "oil-flask", after: 7 },
  ],
  hazards: [
    { x: 2, y: 20, after: 4, radius: 6, cause: "thorns" },
    { x: 34, y: -22, after: 7, radius: 6, cause: "husk-hound" },
  ],
  slips: 0.35,
  dialog: "gardener",
};

const ashBridge: DemoRoom = {
  bounds: { xMin: 0, xMax: 160, yMin: -14, yMax: 14 },
  path: [
    { x: 4, y: 0 },
    { x: 20, y: 6 },
    { x: 38, y: -4 },
    { x: 56, y: 5 },
    { x: 70, y: 0, checkpoint: true },
    { x: 88, y: -7 },
    { x: 102, y: 3 },
    { x: 122, y: 8 },
    { x: 140, y: -3 },
    { x: 156, y: 0 },
  ],
  landmarks: [
    { x: 40, y: -11, item: "oil-flask", after: 2 },
    { x: 124, y: 12, item: "ember-core", after: 7 },
  ],
  hazards: [
    { x: 95, y: -2, after: 5, radius: 4, cause: "collapsing-plank" },
    { x: 96, y: -1, after: 5, radius: 3, cause: "fall" },
    { x: 112, y: 6, after: 6, radius: 5, cause: "ash-gust" },
  ],
  slips: 0.45,
};

const observatory: DemoRoom = {
  bounds: { xMin: -30, xMax: 30, yMin: -30, yMax: 30 },
  path: [
    { x: 0, y: -28 },
    { x: 16, y: -22 },
    { x: 25, y: -4 },
    { x: 18, y: 16, checkpoint: true },
    { x: 0, y: 24 },
    { x: -18, y: 16 },
    { x: -24, y: -4 },
    { x: -12, y: -10, checkpoint: true },
    { x: -4, y: 4 },
    { x: 1, y: 1 },
  ],
  landmarks: [
    { x: 27, y: 12, item: "star-lens", after: 2 },
    { x: -27, y: 10, item: "star-lens", after: 5 },
    { x: 6, y: -8, item: "oil-flask", after: 8 },
  ],
  hazards: [{ x: -21, y: 6, after: 5, radius: 4, cause: "light-beam" }],
  slips: 0.3,
  dialog: "astronomer",
};

const furnace: DemoRoom = {
  bounds: { xMin: -50, xMax: 50, yMin: -25, yMax: 40 },
  path: [
    { x: 0, y: -23 },
    { x: -6, y: -14 },
    { x: 2, y: -5, checkpoint: true },
    { x: -20, y: 6 },
    { x: -12, y: 22 },
    { x: 10, y: 24 },
    { x: 22, y: 10 },
    { x: 4, y: 4 },
    { x: 0, y: 36 },
  ],
  landmarks: [
    { x: -42, y: -8, item: "oil-flask", after: 2 },
    { x: 42, y: -6, item: "ember-core", after: 6 },
  ],
  hazards: [
    { x: -14, y: 12, after: 3, radius: 8, cause: "hammer-slam" },
    { x: 0, y: 20, after: 4, radius: 9, cause: "fire-wave" },
    { x: 16, y: 14, after: 5, radius: 8, cause: "ember-rain" },
  ],
  slips: 0.6,
  dialog: "forge-keeper",
};

export const emberRooms = {
  dock,
  "lantern-stairs": lanternStairs,
  gardens,
  "ash-bridge": ashBridge,
  observatory,
  furnace,
} as const satisfies Readonly<Record<string, DemoRoom>>;
export type RoomName = keyof typeof emberRooms;

/** The builds under test, with their engine versions and their rooms in order. */
export const emberBuilds = {
  "0.8.0": {
    engineVersion: "6000.0.28f1",
    rooms: ["dock", "lantern-stairs", "gardens", "ash-bridge", "observatory"],
  },
  "0.9.0": {
    engineVersion: "6000.0.32f1",
    rooms: ["dock", "lantern-stairs", "gardens", "ash-bridge", "observatory", "furnace"],
  },
} as const satisfies Readonly<Record<string, { engineVersion: string; rooms: readonly RoomName[] }>>;
export type EmberBuild = keyof typeof emberBuilds;
