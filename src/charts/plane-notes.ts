/** States in words in which plane rooms are drawn, and which positions are not in it. */
import type { Heatmap, HeatmapRoom } from "../contract/heatmaps.ts";

const number = (value: number) => value.toLocaleString("en-US");

/** Where a plane comes from, and how to change it. */
const origins: Readonly<Record<string, string>> = {
  set: ", set in the event config",
  sent: ", as the game sent it",
  guessed: ", guessed from the positions (set it with `playtest admin event-config set-room`)",
  request: "",
};

/** Sentences about the planes and floors of rooms; empty for rooms in two dimensions. */
export function describePlanes({ rooms, applied, eventCount }: Heatmap): string[] {
  const floor = typeof applied?.floor === "number" ? applied.floor : null;
  if (rooms.length === 0 && floor !== null && eventCount > 0)
    return [`No room has a floor ${floor}. Set floors with \`playtest admin event-config set-room\`.`];
  const sum = (count: (room: HeatmapRoom) => number) => rooms.reduce((all, room) => all + count(room), 0);
  return [
    ...listPlanes(rooms),
    ...(floor === null
      ? describeFloors(rooms)
      : describeFloor(
          floor,
          sum(({ otherFloors = 0 }) => otherFloors),
        )),
    ...describeMissing(sum(({ withoutZ = 0 }) => withoutZ)),
  ];
}

/** Each plane once, with its rooms if there are several planes. */
function listPlanes(rooms: readonly HeatmapRoom[]): string[] {
  const byPlane = new Map<string, string[]>();
  for (const { room, plane, planeFrom = "" } of rooms) {
    if (plane === undefined) continue;
    const text = `Plane ${plane}${origins[planeFrom] ?? ""}`;
    byPlane.set(text, [...(byPlane.get(text) ?? []), room]);
  }
  const isOne = byPlane.size === 1 && rooms.every(({ plane }) => plane !== undefined);
  return [...byPlane].map(([text, names]) => (isOne ? `${text}.` : `${names.join(", ")}: ${text}.`));
}

function describeFloors(rooms: readonly HeatmapRoom[]): string[] {
  const several = rooms.filter(({ floors = 0 }) => floors > 1);
  return several.map(({ room, floors = 0 }) => `The ${floors} floors of ${room} are drawn over each other.`);
}

const describeFloor = (floor: number, others: number): string[] => [
  others === 0
    ? `Floor ${floor}.`
    : `Floor ${floor}; ${number(others)} ${others === 1 ? "position is" : "positions are"} on other floors.`,
];

const describeMissing = (count: number): string[] =>
  count === 0
    ? []
    : [
        `${number(count)} ${count === 1 ? "position has" : "positions have"} no z, and cannot be drawn in this plane.`,
      ];
