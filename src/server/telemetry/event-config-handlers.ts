/** Event config: the flags that SDKs read at startup. */
import type { getEventConfig } from "../../contract/event-config.ts";
import type { Handler } from "../accounts/handler.ts";
import { requireKeyGame } from "../games/key-game.ts";
import { findEventConfig, toEventFlags } from "./event-config-queries.ts";

export const handleGetEventConfig: Handler<typeof getEventConfig> = async ({ slug }, { db, key }) => {
  const game = await requireKeyGame(db, key, slug);
  const rows = await findEventConfig(db, game.id);
  return { events: Object.fromEntries(rows.map((row) => [row.name, toEventFlags(row)])) };
};
