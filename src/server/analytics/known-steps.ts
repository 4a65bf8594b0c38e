/** Checks that the events and rooms of a funnel exist. */
import { describeNearest } from "../../shared/similar-names.ts";
import { unknownFilterError } from "../core/unknown-name.ts";
import type { Db } from "../db/schema.ts";
import { findEventNames, findRoomNames } from "./funnel-queries.ts";
import type { FunnelStepSpec } from "./funnel-steps.ts";

interface Scope {
  readonly gameId: string;
  /** The environment, or `all`. */
  readonly environment: string;
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
