/** Checks that the builds and environments that requests name have sessions. */

import { HttpError } from "../../contract/errors.ts";
import { findNearest } from "../../shared/similar-names.ts";
import { unknownFilterError } from "../core/http-errors.ts";
import { hasRows } from "../db/rows.ts";
import type { Db } from "../db/schema.ts";

/** Whether any of the games has sessions with these values. */
async function hasSessionsIn(
  db: Db,
  gameIds: readonly string[],
  where: { readonly build: string } | { readonly environment: string },
): Promise<boolean> {
  return await hasRows(
    db
      .selectFrom("sessions")
      .select("id")
      .where("game_id", "in", [...gameIds])
      .where((eb) => eb.and(where)),
  );
}

/** The environments that have sessions of any of the games, in alphabetical order. */
async function findEnvironments(db: Db, gameIds: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom("sessions")
    .select("environment")
    .distinct()
    .where("game_id", "in", [...gameIds])
    .orderBy("environment")
    .execute();
  return rows.map(({ environment }) => environment);
}

/** The maximum number of environments that a message lists. */
const MAX_LISTED = 10;

/** Names from a request. Absent names and the environment `all` always exist. */
interface RequestedScope {
  readonly build?: string | undefined;
  readonly env?: string | undefined;
}

/** Throws `not_found` unless the game has sessions of the build, and sessions in the environment or no sessions at all. */
export async function requireKnownScope(
  db: Db,
  gameId: string,
  { build, env }: RequestedScope,
): Promise<void> {
  if (build !== undefined && !(await hasSessionsIn(db, [gameId], { build })))
    throw new HttpError("not_found");
  await requireKnownEnvironment(db, [gameId], env);
}

/** Throws `not_found` if the games have sessions, but none in the environment. */
export async function requireKnownEnvironment(
  db: Db,
  gameIds: readonly string[],
  env: string | undefined,
): Promise<void> {
  if (env === undefined || env === "all" || gameIds.length === 0) return;
  if (await hasSessionsIn(db, gameIds, { environment: env })) return;
  const environments = await findEnvironments(db, gameIds);
  if (environments.length === 0) return;
  throw unknownFilterError(
    "unknown_environment",
    `Environment ${JSON.stringify(env)} not found: ${gameIds.length === 1 ? "the game has" : "the games have"} sessions in ${listNearest(env, environments)}`,
  );
}

/** All names in the given order or, if there are many, the nearest ones. */
function listNearest(name: string, existing: readonly string[]): string {
  const more = existing.length - MAX_LISTED;
  const listed = more > 0 ? findNearest(name, existing, MAX_LISTED) : existing;
  return `${listed.map((known) => JSON.stringify(known)).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
