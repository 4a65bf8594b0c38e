/** How far the testers of a build got: the share of them who entered each room, beside that of the build before. */
import type { BuildDropoff, DropoffRoom } from "../contract/dropoff.ts";

/** The testers who entered a room. */
export interface Reached {
  readonly entered: number;
  /** The testers of the build, more than 0. */
  readonly testers: number;
}

export interface SurvivalRoom {
  readonly room: string;
  /** In the order of the builds. Null if nobody entered the room, which the build may not have. */
  readonly reached: ReadonlyArray<Reached | null>;
}

export interface Survival {
  /** The build, and the one to compare it with. */
  readonly builds: readonly string[];
  /** In the order in which testers come through them. */
  readonly rooms: readonly SurvivalRoom[];
}

/** The maximum number of rooms that a curve draws. */
export const MAX_SURVIVAL_ROOMS = 16;

/** The curve of a build, and of the build before it; null for either that no tester played. */
export function survivalChart(now: BuildDropoff, before: BuildDropoff | null): Survival | null {
  if (now.testers === 0 || now.rooms.length === 0) return null;
  const builds = [now, ...(before !== null && before.testers > 0 ? [before] : [])];
  const byBuild = builds.map(({ rooms }) => new Map(rooms.map((room) => [room.room, room])));
  const names = [...new Set(builds.flatMap(({ rooms }) => rooms.map(({ room }) => room)))];
  return {
    builds: builds.map(({ version }) => version),
    rooms: names
      .map((room) => ({ room, each: byBuild.map((rooms) => rooms.get(room)) }))
      .sort((x, y) => compareRooms(x.each, y.each) || (x.room < y.room ? -1 : 1))
      .map(({ room, each }) => ({
        room,
        reached: each.map((counts, at) =>
          counts === undefined || counts.entered === 0
            ? null
            : { entered: counts.entered, testers: builds[at]?.testers ?? 0 },
        ),
      })),
  };
}

/**
 * Rooms that follow each other have fewer and fewer testers who enter and then complete them. The build decides before the one
 * that it is compared with.
 */
function compareRooms(
  xs: ReadonlyArray<DropoffRoom | undefined>,
  ys: ReadonlyArray<DropoffRoom | undefined>,
): number {
  const counts = (rooms: typeof xs) => rooms.flatMap((room) => [room?.entered ?? 0, room?.completed ?? 0]);
  const after = counts(ys);
  return counts(xs).reduce((order, count, at) => order || (after[at] ?? 0) - count, 0);
}

/** The share of the testers of the build who entered the room. */
export const shareOf = ({ entered, testers }: Reached): number => entered / testers;
