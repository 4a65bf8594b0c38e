/** What the sessions of two groups contain, from which the rows of a scorecard follow. */
import { findTagSubject } from "../shared/tag-subjects.ts";
import type { GroupFacts, SessionFacts } from "./facts.ts";
import { type PerformanceScope, readPerformanceScope } from "./performance.ts";

export interface Scope {
  /** The rooms that the sessions of each group entered, and of both. */
  readonly rooms: Readonly<Record<"a" | "b" | "all", ReadonlySet<string>>>;
  /** Rooms in which nobody can succeed or fail, such as menus. A session often ends there without anybody giving up. */
  readonly hubs: ReadonlySet<string>;
  readonly tags: ReadonlySet<string>;
  /** The rooms that tags are about. */
  readonly roomByTag: ReadonlyMap<string, string>;
  /** The tags that only testers who entered a room, or answered a question, can meet. */
  readonly tagsByRoom: ReadonlyMap<string, readonly string[]>;
  readonly tagsByQuestion: ReadonlyMap<string, readonly string[]>;
  /** The tags that everybody can meet. */
  readonly generalTags: readonly string[];
  /** Form fields whose answers are ratings, and those whose answers are yes or no. */
  readonly ratings: ReadonlySet<string>;
  readonly yesNoFields: ReadonlySet<string>;
  readonly performance: PerformanceScope;
}

export function readScope(a: Pick<GroupFacts, "testers">, b: Pick<GroupFacts, "testers">): Scope {
  const found = {
    a: new Set<string>(),
    b: new Set<string>(),
    played: new Set<string>(),
    tags: new Set<string>(),
    ratings: new Set<string>(),
    yesNoFields: new Set<string>(),
  };
  for (const [group, rooms] of [
    [a, found.a],
    [b, found.b],
  ] as const) {
    for (const { sessions } of group.testers)
      for (const session of sessions) readSession(session, rooms, found);
  }
  const all = new Set([...found.a, ...found.b]);
  return {
    rooms: { a: found.a, b: found.b, all },
    hubs: new Set([...all].filter((room) => !found.played.has(room))),
    tags: found.tags,
    ratings: found.ratings,
    yesNoFields: found.yesNoFields,
    performance: readPerformanceScope([...a.testers, ...b.testers]),
    ...findSubjects(found.tags, all),
  };
}

function readSession(
  { rooms, tags, answers }: SessionFacts,
  entered: Set<string>,
  found: Readonly<Record<"played" | "tags" | "ratings" | "yesNoFields", Set<string>>>,
): void {
  for (const { room, completed, failed } of rooms) {
    entered.add(room);
    if (completed || failed) found.played.add(room);
  }
  for (const { tag } of tags) found.tags.add(tag);
  for (const { field, kind } of answers) {
    if (kind === "rating") found.ratings.add(field);
    if (kind === "yes-no") found.yesNoFields.add(field);
  }
}

function findSubjects(
  tags: ReadonlySet<string>,
  rooms: ReadonlySet<string>,
): Pick<Scope, "roomByTag" | "tagsByRoom" | "tagsByQuestion" | "generalTags"> {
  const subjects = [...tags].map((tag) => ({ tag, subject: findTagSubject(tag, rooms) }));
  const groupBy = (kind: "room" | "question") => {
    const groups = new Map<string, string[]>();
    for (const { tag, subject } of subjects) {
      if (subject?.kind === kind) groups.set(subject.name, [...(groups.get(subject.name) ?? []), tag]);
    }
    return groups;
  };
  const tagsByRoom = groupBy("room");
  return {
    roomByTag: new Map([...tagsByRoom].flatMap(([room, own]) => own.map((tag) => [tag, room] as const))),
    tagsByRoom,
    tagsByQuestion: groupBy("question"),
    generalTags: subjects.flatMap(({ tag, subject }) => (subject === null ? [tag] : [])),
  };
}
