/** Event config: the flags that SDKs read at startup. */
import type { getEventConfig } from "../../contract/event-config.ts";
import type { Handler } from "../accounts/handler.ts";
import { requireKeyGame } from "../games/key-game.ts";
import { readSdkSettings } from "../games/sdk-settings.ts";
import { findEventConfig, toEventFlags } from "./event-config-queries.ts";
import { listSdkHeaders } from "./sdk-headers.ts";

/** Returns the flags as a map, and in the form that SDKs read if the request has the header of an SDK. */
export const handleGetEventConfig: Handler<typeof getEventConfig> = async (
  { slug },
  { db, key, headers, responseHeaders },
) => {
  const game = await requireKeyGame(db, key, slug);
  const rows = await findEventConfig(db, game.id);
  const sdkHeaders = listSdkHeaders(headers);
  // Without an SDK header, no name of a header tells a cache apart which requests get the other form.
  responseHeaders.vary = sdkHeaders.length > 0 ? sdkHeaders.join(", ") : "*";
  if (sdkHeaders.length === 0)
    return { events: Object.fromEntries(rows.map((row) => [row.name, toEventFlags(row)])) };
  const events = rows.map((row) => ({ eventName: row.name, ...toEventFlags(row) }));
  return { events, game: readSdkSettings(game) };
};
