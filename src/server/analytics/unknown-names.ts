/** Errors for names that do not exist. An empty result would look as if nothing had happened. */
import { HttpError } from "../../contract/errors.ts";
import type { UnknownFilterReason } from "../../contract/unknown-names.ts";
import { describeNearest } from "../core/nearest-names.ts";
import type { Db } from "../db/schema.ts";
import { findEnvironments, findEventNames, findRoomNames } from "./funnel-queries.ts";
import type { FunnelStepSpec } from "./funnel-steps.ts";

/** A 404 whose message names what does not exist. */
export function unknownFilterError(reason: UnknownFilterReason, message: string): HttpError {
  return new HttpError("not_found", { message, extra: { reason } });
}

interface Scope {
  readonly gameId: string;
  /** The environment, or `all`. */
  readonly environment: string;
}

/** Throws `not_found` if the game has sessions, but none in the environment. */
export async function requireEnvironment(db: Db, { gameId, environment }: Scope): Promise<void> {
  if (environment === "all") return;
  const environments = await findEnvironments(db, gameId);
  if (environments.length === 0 || environments.includes(environment)) return;
  const listed = environments.map((name) => JSON.stringify(name)).join(", ");
  throw unknownFilterError(
    "unknown_environment",
    `Environment ${JSON.stringify(environment)} not found: the game has sessions in ${listed}`,
  );
}

/** Throws `not_found` for a step whose event or room no session has. `unseen` are the steps that no read event reached. */
export async function requireSteps(db: Db, scope: Scope, unseen: readonly FunnelStepSpec[]): Promise<void> {
  for (const { kind, name } of unseen) {
    const names = kind === "event" ? await findEventNames(db, scope) : await findRoomNames(db, scope);
    if (names.has(name)) continue;
    const where = scope.environment === "all" ? "" : ` in ${scope.environment}`;
    const noun = kind === "event" ? "event names" : "rooms";
    const nearest = describeNearest(name, names, `${noun} there`, `There are no ${noun}`);
    const title = kind === "event" ? "Event" : "Room";
    throw unknownFilterError(
      `unknown_${kind}`,
      `${title} ${JSON.stringify(name)} not found${where}. ${nearest}`,
    );
  }
}
