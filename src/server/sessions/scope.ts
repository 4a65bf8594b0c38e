/** Checks the build and environment that a request filters by, so that an unknown name is never an empty result. */
import { HttpError } from "../../contract/errors.ts";
import type { Db } from "../db/schema.ts";
import { buildExists, findEnvironments } from "./rollup-queries.ts";

/** The maximum number of environments that a message lists. */
const MAX_LISTED = 10;

/** Names from a request. Absent names and the environment `all` always exist. */
export interface RequestedScope {
  readonly build?: string | undefined;
  readonly env?: string | undefined;
}

/** Throws `not_found` unless the game has sessions of the build and sessions in the environment. */
export async function requireScope(db: Db, gameId: string, { build, env }: RequestedScope): Promise<void> {
  if (build !== undefined && !(await buildExists(db, gameId, build))) throw new HttpError("not_found");
  if (env === undefined || env === "all") return;
  const known = await findEnvironments(db, gameId);
  if (known.includes(env)) return;
  const listed = known.slice(0, MAX_LISTED).join(", ");
  throw new HttpError("not_found", {
    message: `No session is in environment "${env}". ${known.length === 0 ? "The game has no sessions" : `Environments: ${listed}`}`,
  });
}
