/** Registers, adopts and hides builds, and reads which are registered (docs/decisions/033-order-of-builds.md). */
import type { ExpressionBuilder } from "kysely";
import { UNKNOWN_BUILD } from "../../contract/fields.ts";
import { deleteRows, findRow, hasRows, putRow } from "../db/rows.ts";
import type { BuildStateRow, Db, Schema } from "../db/schema.ts";

/** One build of a game, by its version. */
interface BuildRef {
  readonly gameId: string;
  readonly version: string;
}

export async function findBuildState(db: Db, { gameId, version }: BuildRef) {
  return await findRow(db, "build_states", { game_id: gameId, build: version });
}

/** All builds of a game that are or were registered or hidden. */
export async function findBuildStates(db: Db, gameId: string): Promise<BuildStateRow[]> {
  return await db.selectFrom("build_states").selectAll().where("game_id", "=", gameId).execute();
}

/** The builds that the operator of a game has decided about. */
export interface Registrations {
  /** Registered builds that are not hidden, with the time of their registration. If there are any, others are left out. */
  readonly registered: ReadonlyMap<string, number>;
  readonly hidden: ReadonlySet<string>;
}

export async function readRegistrations(db: Db, gameId: string): Promise<Registrations> {
  const rows = await findBuildStates(db, gameId);
  const visible = rows.filter(({ hidden_at }) => hidden_at === null);
  return {
    registered: new Map(
      visible.flatMap(({ build, registered_at }) => (registered_at === null ? [] : [[build, registered_at]])),
    ),
    hidden: new Set(rows.flatMap(({ build, hidden_at }) => (hidden_at === null ? [] : build))),
  };
}

/** Two builds of a game, of which b was made later. */
interface BuildPair {
  readonly a: string;
  readonly b: string;
}

/**
 * The time from which sessions of a are not compared with b: when b was registered, so that nobody can change the baseline of a
 * build that is judged. Undefined if b is not registered, or if a was registered after it.
 */
export async function findBaselineEnd(
  db: Db,
  gameId: string,
  { a, b }: BuildPair,
): Promise<number | undefined> {
  if (a === b) return undefined;
  const end = (await findBuildState(db, { gameId, version: b }))?.registered_at ?? null;
  const start = (await findBuildState(db, { gameId, version: a }))?.registered_at ?? null;
  return end === null || (start !== null && start > end) ? undefined : end;
}

/** Whether anybody has played a build. */
export async function hasSessions(db: Db, { gameId, version }: BuildRef): Promise<boolean> {
  const query = db.selectFrom("sessions").select("id").where("game_id", "=", gameId);
  return await hasRows(query.where("build", "=", version));
}

/** The registered builds, the last one first. */
export const listRegistered = ({ registered }: Registrations): string[] =>
  [...registered].sort(([a, x], [b, y]) => y - x || (a < b ? 1 : -1)).map(([version]) => version);

/** Stores the state of a build. A build without any state has no row. */
async function putBuildState(db: Db, row: BuildStateRow): Promise<void> {
  const { game_id, build, registered_at, hidden_at } = row;
  if (registered_at === null && hidden_at === null) await deleteRows(db, "build_states", { game_id, build });
  else await putRow(db, "build_states", row);
}

/**
 * Registers a build after all others, also if the clock of the service was set back. A build that is registered keeps its
 * place, and one that is hidden stays hidden.
 */
export async function registerBuild(db: Db, build: BuildRef, now: number): Promise<BuildStateRow> {
  const { newest } = await db
    .selectFrom("build_states")
    .select((eb) => eb.fn.max("registered_at").as("newest"))
    .where("game_id", "=", build.gameId)
    .executeTakeFirstOrThrow();
  return await registerAt(db, build, newest === null ? now : Math.max(now, Number(newest) + 1));
}

/** Registers a build that was played as of its first session; null if it has none. A registered build keeps its place. */
export async function adoptBuild(db: Db, build: BuildRef): Promise<BuildStateRow | null> {
  const { first } = await db
    .selectFrom("sessions")
    .select((eb) => eb.fn.min(receiptTime(eb)).as("first"))
    .where((eb) => eb.and({ game_id: build.gameId, build: build.version }))
    .executeTakeFirstOrThrow();
  const known = await findBuildState(db, build);
  if (first === null && (known?.registered_at ?? null) === null) return null;
  return await registerAt(db, build, Number(first));
}

/** When a session was received. Sessions of older versions of the service have only the time of their recording. */
export const receiptTime = (eb: ExpressionBuilder<Schema, "sessions">) =>
  eb.fn.coalesce("received_at", "recorded_at");

async function registerAt(db: Db, build: BuildRef, at: number): Promise<BuildStateRow> {
  const known = await findBuildState(db, build);
  if (known && known.registered_at !== null) return known;
  const row = {
    game_id: build.gameId,
    build: build.version,
    registered_at: at,
    hidden_at: known?.hidden_at ?? null,
  };
  await putBuildState(db, row);
  return row;
}

/** Hides a build, or shows it again if `hiddenAt` is null. */
export async function setBuildHidden(
  db: Db,
  build: BuildRef,
  hiddenAt: number | null,
): Promise<BuildStateRow> {
  const known = await findBuildState(db, build);
  const row = {
    game_id: build.gameId,
    build: build.version,
    registered_at: known?.registered_at ?? null,
    // A build that is hidden already keeps the time.
    hidden_at: hiddenAt === null ? null : (known?.hidden_at ?? hiddenAt),
  };
  await putBuildState(db, row);
  return row;
}

/** The sessions, testers and last session of each build of a game. Sessions without a version belong to none. */
export async function countBuildSessions(db: Db, gameId: string) {
  const rows = await db
    .selectFrom("sessions")
    .select((eb) => [
      "build",
      eb.fn.countAll<number>().as("sessions"),
      eb.fn.count<number>("tester").distinct().as("testers"),
      eb.fn.max("recorded_at").as("last"),
    ])
    .where("game_id", "=", gameId)
    .where("build", "!=", UNKNOWN_BUILD)
    .groupBy("build")
    .execute();
  return rows.map(({ build, sessions, testers, last }) => ({
    version: build,
    sessionCount: Number(sessions),
    testerCount: Number(testers),
    lastSeen: Number(last),
  }));
}
