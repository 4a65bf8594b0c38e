/** Event config: the flags that SDKs read when they start. */
import type { getEventConfig } from "../../contract/event-config.ts";
import { eventConfigOf, flagsOf } from "../queries/event-config.ts";
import { requireOwnGame } from "../queries/games.ts";
import type { Handler } from "./handler.ts";

export const handleGetEventConfig: Handler<typeof getEventConfig> = async ({ slug }, { db, key }) => {
  const game = await requireOwnGame(db, key, slug);
  const rows = await eventConfigOf(db, game.id);
  return { events: Object.fromEntries(rows.map((row) => [row.name, flagsOf(row)])) };
};
