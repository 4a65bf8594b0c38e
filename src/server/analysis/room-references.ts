/**
 * Usual room times: the times of one named build that all sessions of a game and environment are compared with. It is the
 * build that had enough sessions in the room first, so that no session is judged by the order in which data arrived, and
 * later builds do not change the usual time. The first session of a build does not decide, because it may be from a device
 * with a wrong clock.
 */
import { createHash } from "node:crypto";
import { median } from "../../statistics/averages.ts";
import type { Db, RoomReferenceRow, SessionRow } from "../db/schema.ts";
import { requestReanalysis } from "./queue-queries.ts";
import type { UsualRoomTime } from "./recorded-session.ts";
import {
  findReferenceBuilds,
  lockChangedReference,
  lockReferences,
  updateReference,
} from "./room-reference-queries.ts";
import {
  findEarliestBuild,
  findRoomTimes,
  findSlowSessions,
  type SessionRoomTime,
  type TimedSession,
} from "./room-time-queries.ts";
import { MIN_SLOW_MS } from "./rules/stuck-point.ts";

/**
 * How many sessions a usual time is based on: the first ones of the build, up to one of these sizes. Because the sizes
 * double, a new session rarely changes what the others are compared with.
 */
const REFERENCE_SIZES = [160, 80, 40, 20, 10, 5] as const;
const MIN_REFERENCE_SESSIONS = 5;
/** A session is not compared with itself, so a reference needs one session more than it uses. */
const MAX_REFERENCE_ROWS = REFERENCE_SIZES[0] + 1;
const MIN_REFERENCE_ROWS = MIN_REFERENCE_SESSIONS + 1;
/** How many sessions are queued at once for another analysis. */
const REQUEUE_STEP = 200;

/** How many sessions of a build count. The number is the same for each session that is compared. */
function selectSize(sessions: number): number {
  return REFERENCE_SIZES.find((size) => size < sessions) ?? 0;
}

/** The usual times in rooms of a session, by room. Rooms without a reference are omitted. */
export async function readUsualRoomTimes(
  db: Db,
  { game_id, environment, id }: Pick<SessionRow, "game_id" | "environment" | "id">,
  rooms: readonly string[],
): Promise<Map<string, UsualRoomTime>> {
  const usual = new Map<string, UsualRoomTime>();
  if (rooms.length === 0) return usual;
  for (const { room, build } of await findReferenceBuilds(db, { game_id, environment }, rooms)) {
    const times = await findRoomTimes(db, { game_id, environment, room }, build, MAX_REFERENCE_ROWS);
    const sessions = selectSize(times.length);
    if (sessions === 0) continue;
    const others = times.filter(({ session_id }) => session_id !== id).slice(0, sessions);
    usual.set(room, { medianMs: median(others.map(({ ms }) => ms)), sessions, build, environment });
  }
  return usual;
}

/**
 * Updates the references of rooms after a session's times in them were stored in the same transaction. If the times of a
 * reference changed, the sessions that spent long in the room are analyzed again, step by step, by `requeueSlowSessions`.
 */
export async function updateRoomReferences(
  db: Db,
  session: TimedSession,
  rooms: readonly string[],
): Promise<void> {
  if (rooms.length === 0) return;
  for (const reference of await lockReferences(db, session, rooms)) {
    const build = await chooseBuild(db, reference, session.build);
    const isAffected = build !== reference.build || build === session.build;
    if (!isAffected) continue;
    const times = build === null ? [] : await findRoomTimes(db, reference, build, MAX_REFERENCE_ROWS);
    const changed = { build, first_at: getEnoughAt(times), digest: digestTimes(times) };
    if (changed.build === reference.build && changed.digest === reference.digest) continue;
    await updateReference(db, reference, { ...changed, requeue_after: "" });
  }
}

/**
 * The build to compare with after times of the build `changed` were changed. The other builds have not changed, so only
 * this one can take precedence now, unless the reference itself lost sessions.
 */
async function chooseBuild(db: Db, reference: RoomReferenceRow, changed: string): Promise<string | null> {
  const times = await findRoomTimes(db, reference, changed, MIN_REFERENCE_ROWS);
  const enoughAt = getEnoughAt(times);
  const { build, first_at } = reference;
  if (build === null || first_at === null) return enoughAt === null ? null : changed;
  const isEarlier = enoughAt !== null && compareBuilds(enoughAt, changed, first_at, build) <= 0;
  if (isEarlier) return changed;
  return changed === build ? await findEarliestBuild(db, reference, MIN_REFERENCE_ROWS) : build;
}

/** When a build had enough sessions, unix ms; null if it has too few. */
const getEnoughAt = (times: readonly SessionRoomTime[]): number | null =>
  times[MIN_REFERENCE_ROWS - 1]?.recorded_at ?? null;

/** Orders builds by when they had enough sessions, then by name. */
function compareBuilds(firstA: number, a: string, firstB: number, b: string): number {
  if (firstA !== firstB) return firstA - firstB;
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Identifies the times that count. */
function digestTimes(times: readonly SessionRoomTime[]): string | null {
  const size = selectSize(times.length);
  if (size === 0) return null;
  const counted = times.slice(0, size + 1).map(({ session_id, ms }) => [session_id, ms]);
  return createHash("sha256").update(JSON.stringify(counted)).digest("hex");
}

/**
 * Queues some sessions for another analysis, because the usual time in a room where they spent long has changed. Returns
 * false if there are none left.
 */
export async function requeueSlowSessions(db: Db, now: number): Promise<boolean> {
  const reference = await lockChangedReference(db);
  if (!reference) return false;
  const afterId = reference.requeue_after ?? "";
  const slow = { minMs: MIN_SLOW_MS, afterId, limit: REQUEUE_STEP };
  const sessionIds = await findSlowSessions(db, reference, slow);
  await requestReanalysis(db, reference.game_id, sessionIds, now);
  const requeue_after = sessionIds.length < REQUEUE_STEP ? null : (sessionIds.at(-1) ?? null);
  await updateReference(db, reference, { requeue_after });
  return true;
}
