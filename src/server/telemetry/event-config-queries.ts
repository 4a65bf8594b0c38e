/** Reads and writes the event config of games. */
import type { EventFlags } from "../../contract/event-config.ts";
import { prepareQuery } from "../db/prepared.ts";
import { putRow } from "../db/rows.ts";
import type { Db, EventConfigRow } from "../db/schema.ts";

/** Finds all events with custom settings, sorted by name. */
export async function findEventConfig(db: Db, gameId: string): Promise<EventConfigRow[]> {
  return (await eventConfigQuery(db, { gameId })).rows;
}

const eventConfigQuery = prepareQuery((db, { gameId }: { gameId: string }) =>
  db.selectFrom("event_config").selectAll().where("game_id", "=", gameId).orderBy("name"),
);

/** The flags of an event as the API shows them. */
export function toEventFlags(row: EventConfigRow): EventFlags {
  return {
    sdkIgnore: row.sdk_ignore === 1,
    linkToSummary: row.link_to_summary === 1,
    hideFromAi: row.hide_from_ai === 1,
    ...(row.sample_rate === null ? {} : { sampleRate: row.sample_rate }),
  };
}

/** Inserts or replaces the settings of an event. */
export const putEventConfig = (db: Db, row: EventConfigRow): Promise<void> => putRow(db, "event_config", row);
