/** Counts the testers of a build who could meet a tag. */
import { findTagQuestion, findTagRoom, toTagRoom } from "../../shared/tag-subjects.ts";
import type { Db } from "../db/schema.ts";
import type { BuildAnswers } from "./answer-queries.ts";
import type { BuildFriction, BuildScope } from "./build-queries.ts";
import { countRoomTesters, countTaggedElsewhere, type RoomTesters } from "./room-queries.ts";

/** What the service stores about one of the builds. */
export interface BuildData {
  readonly scope: BuildScope;
  readonly friction: BuildFriction;
  readonly rooms: readonly RoomTesters[];
  readonly answeredBy: BuildAnswers["answeredBy"];
}

/** The number of testers of a build who could meet a tag. */
export type CountExposed = (tag: string) => number;

/** The rooms of all builds compared, as tags name them. */
export const listTagRooms = (builds: readonly Pick<BuildData, "rooms">[]): ReadonlySet<string> =>
  new Set(builds.flatMap(({ rooms }) => rooms.map(({ room }) => toTagRoom(room))));

/**
 * The testers who could meet a tag. If it is about a room, these are the testers who entered that room or have the tag.
 * `tagRooms` has the rooms of all builds compared. Only tags of the builds are counted.
 */
export async function readExposed(
  db: Db,
  { scope, friction, rooms, answeredBy }: BuildData,
  tagRooms: ReadonlySet<string>,
): Promise<CountExposed> {
  const withTag = new Map(friction.byTag.map(({ tag, testers }) => [tag, testers]));
  const byTagRoom = groupRooms(rooms);
  const pairs = [...withTag.keys()].flatMap((tag) =>
    (byTagRoom.get(findTagRoom(tag, tagRooms) ?? "") ?? []).map(({ room }) => ({ tag, room })),
  );
  const elsewhere = await countTaggedElsewhere(db, scope, pairs);
  const paired = new Set(pairs.map(({ tag }) => tag));
  const entered = new Map<string, number>();
  for (const [name, own] of byTagRoom)
    entered.set(
      name,
      own.length === 1
        ? (own[0]?.testers ?? 0)
        : await countRoomTesters(
            db,
            scope,
            own.map(({ room }) => room),
          ),
    );
  return (tag) => {
    const question = findTagQuestion(tag);
    if (question !== null) return answeredBy.get(question)?.size ?? 0;
    const room = findTagRoom(tag, tagRooms);
    if (room === null) return friction.testers;
    const outside = paired.has(tag) ? elsewhere.get(tag) : withTag.get(tag);
    return (entered.get(room) ?? 0) + (outside ?? 0);
  };
}

/** The rooms by their name in tags. Rooms whose names differ only in symbols share it. */
function groupRooms(rooms: readonly RoomTesters[]): Map<string, RoomTesters[]> {
  const groups = new Map<string, RoomTesters[]>();
  for (const room of rooms) {
    const name = toTagRoom(room.room);
    groups.set(name, [...(groups.get(name) ?? []), room]);
  }
  return groups;
}
