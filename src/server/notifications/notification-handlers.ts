/** The endpoint that lists webhooks. */
import type { Input } from "../../contract/define.ts";
import type { listWebhooks } from "../../contract/webhooks.ts";
import type { Handler } from "../accounts/handler.ts";
import { findWebhooks } from "./notification-queries.ts";

export const handleListWebhooks: Handler<typeof listWebhooks> = async (
  _query: Input<typeof listWebhooks>,
  { db, accountId },
) => {
  const rows = await findWebhooks(db, accountId);
  return {
    webhooks: rows.map((row) => ({
      id: row.id,
      host: new URL(row.url).host,
      events: row.events.split(" "),
      gameId: row.game_id,
      pending: row.pending,
      delivered: row.delivered,
      dropped: row.dropped,
      failingSince: row.failing_since,
      lastError: row.last_error,
    })),
  };
};
