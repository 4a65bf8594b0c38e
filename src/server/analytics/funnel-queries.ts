/** Checks that the events and rooms of a funnel exist. */

import { describeNearest } from "../../shared/similar-names.ts";
import { unknownFilterError } from "../core/http-errors.ts";
import type { Db } from "../db/schema.ts";
import { sumEvents } from "../sessions/event-sum-queries.ts";
import type { FunnelStepSpec } from "./funnel.ts";

/** Maximum number of names to suggest from. */
const MAX_NAMES = 2000;

/** The game and environment in which names are looked up. */
interface NameScope {
  readonly gameId: string;
  /** The environment, or `all`. */
  readonly environment: string;
}

/** The names of events in the environment, the most frequent first. */
async function findEventNames(db: Db, { gameId, environment }: NameScope): Promise<Set<string>> {
  const counts = [...(await sumEvents(db, { gameId, environment }))].filter(([, count]) => count > 0);
  counts.sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return new Set(counts.slice(0, MAX_NAMES).map(([name]) => name));
}

/** The rooms that analyzed sessions entered in the environment. */
async function findRoomNames(db: Db, { gameId, environment }: NameScope): Promise<Set<string>> {
  const rows = await db
    .selectFrom("room_times")
    .select("room")
    .distinct()
    .where("game_id", "=", gameId)
    .$if(environment !== "all", (query) => query.where("environment", "=", environment))
    .orderBy("room")
    .limit(MAX_NAMES)
    .execute();
  return new Set(rows.map(({ room }) => room));
}

/** Throws `not_found` for a step whose event or room no session has. `unseen` are the steps that no read event reached. */
export async function requireSteps(
  db: Db,
  scope: NameScope,
  unseen: readonly FunnelStepSpec[],
): Promise<void> {
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
