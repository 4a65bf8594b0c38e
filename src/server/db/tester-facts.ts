/**
 * The facts about one tester in one build, such as a room that the tester entered, with the number of sessions that support
 * each. From them follow the counters of distinct testers (`build-counters.ts`).
 */
import { parseTagRoom, toTagRoom } from "../../shared/exposure.ts";

/** What a session can support. */
export type FactKind =
  /** The session has a device, or has none. */
  | "device"
  | "anonymous"
  /** The session entered the room; it is not known whether it completed it; it completed it. */
  | "room"
  | "room_unknown"
  | "room_completed"
  /** The session has the friction tag. */
  | "tag"
  /** The session answered the question. */
  | "question";

/** A fact in one environment. */
export interface TesterFact {
  readonly environment: string;
  readonly kind: FactKind;
  /** The room, tag or question; empty for a device. */
  readonly name: string;
}

/** A fact with the number of sessions or answers that are added to its support (negative if they are removed). */
export interface FactChange extends TesterFact {
  readonly by: number;
}

/** Counters of distinct testers. */
export type TesterCountKind =
  | "testers"
  /** Testers with a device. */
  | "devices"
  /** Testers who entered the room; those for whom it is known whether they completed it; those who did. */
  | "room"
  | "room_known"
  | "room_completed"
  /** Testers who entered any room with this name in tags. */
  | "tag_room"
  | "tag"
  /** Testers with the tag who entered no room that it can be about. */
  | "tag_elsewhere"
  | "question";

/** The environment of counters over all environments. No session can be in an environment with this name. */
export const ALL_ENVIRONMENTS = "all";

/** Number of sessions by fact. The key is the fact as JSON. */
export type TesterFacts = Map<string, number>;

const toKey = ({ environment, kind, name }: TesterFact): string => JSON.stringify([environment, kind, name]);

/** Facts by key. Many testers have the same facts, and reading the JSON of a key takes longer than finding it here. */
const factsByKey = new Map<string, TesterFact>();
const MAX_CACHED_FACTS = 10_000;

/** The fact of a key. */
export function fromKey(key: string): TesterFact {
  const known = factsByKey.get(key);
  if (known) return known;
  const [environment, kind, name] = JSON.parse(key) as [string, FactKind, string];
  const fact = { environment, kind, name };
  if (factsByKey.size >= MAX_CACHED_FACTS) factsByKey.clear();
  factsByKey.set(key, fact);
  return fact;
}

/** Adds changes to facts, and removes facts without support. */
export function addFacts(facts: TesterFacts, changes: readonly FactChange[]): void {
  for (const change of changes) {
    const key = toKey(change);
    const support = (facts.get(key) ?? 0) + change.by;
    if (support === 0) facts.delete(key);
    else facts.set(key, support);
  }
}

/** Facts as they are stored: a JSON list of keys and numbers, in turns. */
export const serializeFacts = (facts: TesterFacts): string =>
  JSON.stringify(
    [...facts].flatMap(([key, support]) => {
      const { environment, kind, name } = fromKey(key);
      return [environment, kind, name, support];
    }),
  );

export function parseFacts(json: string): TesterFacts {
  const values = JSON.parse(json) as (string | number)[];
  const facts: TesterFacts = new Map();
  for (let at = 0; at + 3 < values.length; at += 4)
    facts.set(JSON.stringify(values.slice(at, at + 3)), Number(values[at + 3]));
  return facts;
}

/** A counter of distinct testers. */
export interface TesterCount {
  readonly environment: string;
  readonly kind: TesterCountKind;
  readonly name: string;
}

/** The counters that count a tester with these facts, by their key. */
export function listCounts(facts: TesterFacts): Map<string, TesterCount> {
  const byEnvironment = new Map<string, Map<FactKind, Map<string, number>>>();
  for (const [key, support] of facts) {
    const { environment, kind, name } = fromKey(key);
    for (const scope of new Set([environment, ALL_ENVIRONMENTS])) {
      const kinds = byEnvironment.get(scope) ?? new Map<FactKind, Map<string, number>>();
      const names = kinds.get(kind) ?? new Map<string, number>();
      byEnvironment.set(scope, kinds.set(kind, names.set(name, (names.get(name) ?? 0) + support)));
    }
  }
  const counts = new Map<string, TesterCount>();
  for (const [environment, kinds] of byEnvironment) {
    for (const { kind, name } of listCountsOf(kinds))
      counts.set(JSON.stringify([environment, kind, name]), { environment, kind, name });
  }
  return counts;
}

/** The counters of one environment. */
function listCountsOf(
  kinds: ReadonlyMap<FactKind, ReadonlyMap<string, number>>,
): Omit<TesterCount, "environment">[] {
  const supported = (kind: FactKind) =>
    [...(kinds.get(kind) ?? [])].filter(([, support]) => support > 0).map(([name]) => name);
  const unknown = kinds.get("room_unknown");
  const rooms = supported("room");
  const known = rooms.filter((room) => (kinds.get("room")?.get(room) ?? 0) > (unknown?.get(room) ?? 0));
  const tagRooms = new Set(rooms.map(toTagRoom));
  const tags = supported("tag");
  const elsewhere = tags.filter((tag) => {
    const room = parseTagRoom(tag);
    return room !== null && !tagRooms.has(room);
  });
  const devices = supported("device");
  const named = (kind: TesterCountKind, names: Iterable<string>) =>
    [...names].map((name) => ({ kind, name }));
  return [
    ...named("testers", new Set([...devices, ...supported("anonymous")])),
    ...named("devices", devices),
    ...named("room", rooms),
    ...named("room_known", known),
    ...named("room_completed", supported("room_completed")),
    ...named("tag_room", tagRooms),
    ...named("tag", tags),
    ...named("tag_elsewhere", elsewhere),
    ...named("question", supported("question")),
  ];
}
