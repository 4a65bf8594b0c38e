/** The planes in which positions with three coordinates are drawn, and the floors of rooms. */
import * as z from "zod";

/** The horizontal and the vertical axis of a map. */
export const planes = ["xy", "xz", "zy"] as const;
export type Plane = (typeof planes)[number];

/** The value of `plane` that draws each room in its own plane. */
export const AUTO_PLANE = "auto" as const;
export const planeChoices = [AUTO_PLANE, ...planes] as const;
export type PlaneChoice = (typeof planeChoices)[number];

/** Where the plane of a room comes from: the event config, the game, the spread of its positions, or the request. */
export const planeOrigins = ["set", "sent", "guessed", "request"] as const;
export type PlaneOrigin = (typeof planeOrigins)[number];

/** The axis that a plane leaves out, along which floors are above each other. */
export const thirdAxis = { xy: "z", xz: "y", zy: "x" } as const satisfies Record<Plane, string>;

/** The maximum number of floors of a room. */
export const MAX_FLOORS = 50;

/** A floor: positions from `min` up to, but not including, `max`. */
export const floor = z.tuple([z.number(), z.number()]);
export type Floor = z.output<typeof floor>;
