/** The outcomes of two builds, ready to compare: mean ratings, and how many testers completed each room. */
import { type BuildOutcomes, MAX_OUTCOME_FIELDS, MAX_OUTCOME_ROOMS } from "../../contract/builds.ts";
import type { FieldRatings } from "./answer-queries.ts";
import type { RoomTesters } from "./room-queries.ts";

/** Maximum number of rooms per build: those with the most testers. Real games have far fewer. */
const MAX_ROOMS = 2000;

/** The ratings and rooms of one build. */
interface OutcomeCounts {
  readonly ratings: ReadonlyMap<string, FieldRatings>;
  readonly rooms: readonly RoomTesters[];
}

/** Selects the fields and rooms to compare, and returns the outcomes of both builds in the same order. */
export function compareOutcomes(
  a: OutcomeCounts,
  b: OutcomeCounts,
): { readonly a: BuildOutcomes; readonly b: BuildOutcomes } {
  const fields = selectFields(a, b);
  const rooms = findCompletedRooms(a, b);
  const selected = selectRooms(rooms);
  const toRatings = ({ ratings }: OutcomeCounts) =>
    fields.map(([key, field]) => toRating(field, ratings.get(key)?.byTester));
  const toOutcomes = (build: OutcomeCounts, side: "a" | "b"): BuildOutcomes => ({
    completion: sumCompletions(rooms.map((room) => room[side])),
    ratings: toRatings(build),
    rooms: selected.map((room) => ({ room: room.room, ...room[side] })),
  });
  return { a: toOutcomes(a, "a"), b: toOutcomes(b, "b") };
}

const sumCompletions = (completions: readonly Completion[]): BuildOutcomes["completion"] => ({
  roomsEntered: completions.reduce((sum, { testersEntered }) => sum + testersEntered, 0),
  roomsCompleted: completions.reduce((sum, { testersCompleted }) => sum + testersCompleted, 0),
});

/** The fields with the most answers in both builds together. */
function selectFields(a: OutcomeCounts, b: OutcomeCounts): [key: string, field: FieldRatings][] {
  const countAnswers = (key: string) =>
    (a.ratings.get(key)?.byTester.size ?? 0) + (b.ratings.get(key)?.byTester.size ?? 0);
  return [...new Map([...a.ratings, ...b.ratings])]
    .sort(([x], [y]) => countAnswers(y) - countAnswers(x) || (x < y ? -1 : 1))
    .slice(0, MAX_OUTCOME_FIELDS);
}

function toRating(
  { formId, fieldId, label }: FieldRatings,
  byTester: ReadonlyMap<string, number> = new Map(),
) {
  const testers = byTester.size;
  const sum = [...byTester.values()].reduce((total, rating) => total + rating, 0);
  return { formId, fieldId, label, testers, mean: testers === 0 ? null : sum / testers };
}

interface Completion {
  readonly testersEntered: number;
  readonly testersCompleted: number;
}

interface ComparedRoom {
  readonly room: string;
  readonly a: Completion;
  readonly b: Completion;
}

/** The rooms that a tester of either build completed. In other rooms, the game may not report success. */
function findCompletedRooms(a: OutcomeCounts, b: OutcomeCounts): ComparedRoom[] {
  const [byRoomA, byRoomB] = [toCompletions(a), toCompletions(b)];
  const none = { testersEntered: 0, testersCompleted: 0 };
  return [...new Set([...byRoomA.keys(), ...byRoomB.keys()])]
    .map((room) => ({ room, a: byRoomA.get(room) ?? none, b: byRoomB.get(room) ?? none }))
    .filter((room) => room.a.testersCompleted + room.b.testersCompleted > 0);
}

/** The rooms whose completion differs most relative to chance. */
const selectRooms = (rooms: readonly ComparedRoom[]): ComparedRoom[] =>
  [...rooms]
    .sort((x, y) => computeScore(y) - computeScore(x) || (x.room < y.room ? -1 : 1))
    .slice(0, MAX_OUTCOME_ROOMS);

const toCompletions = ({ rooms }: OutcomeCounts): Map<string, Completion> =>
  new Map(
    rooms
      .slice(0, MAX_ROOMS)
      .map(({ room, entered, completed }) => [
        room,
        { testersEntered: entered, testersCompleted: completed },
      ]),
  );

/**
 * The difference between the shares of testers who completed the room, in standard errors; 0 if no tester of a build
 * entered it. It only orders the rooms.
 */
function computeScore({ a, b }: ComparedRoom): number {
  const [ofA, ofB] = [a.testersEntered, b.testersEntered];
  const share = (a.testersCompleted + b.testersCompleted) / (ofA + ofB);
  const variance = share * (1 - share) * (1 / ofA + 1 / ofB);
  const difference = b.testersCompleted / ofB - a.testersCompleted / ofA;
  return variance > 0 && Number.isFinite(variance) ? Math.abs(difference) / Math.sqrt(variance) : 0;
}
