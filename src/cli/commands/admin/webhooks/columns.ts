/** The columns of webhooks. Their secrets and the paths of their URLs are never shown. */

import { toColumns } from "../../../../render/tables/resource-columns.ts";
import type { WebhookRow } from "../../../../server/db/schema.ts";
import { showWebhookUrl } from "../../../webhook-url.ts";

/** A webhook in the output of commands. */
export interface WebhookView {
  readonly id: string;
  /** Without its path, which may be a secret. */
  readonly url: string;
  readonly format: WebhookRow["format"];
  readonly on: readonly string[];
  /** The slug of the only game whose events are sent; null for all games of the account. */
  readonly game: string | null;
  /** Unix ms. */
  readonly createdAt: number;
  /** Numbers of events that wait, that were accepted, and that were given up. */
  readonly pending: number;
  readonly delivered: number;
  readonly dropped: number;
  /** Unix ms; null if the last attempt succeeded, or if there was none. */
  readonly failingSince: number | null;
  readonly lastError: string | null;
}

/** Converts a webhook. `slugs` are the slugs of the account's games by id. */
export function toWebhookView(
  row: WebhookRow & { readonly pending: number },
  slugs: ReadonlyMap<string, string>,
): WebhookView {
  const { id, url, format, events, game_id, created_at, pending, delivered, dropped } = row;
  return {
    id,
    url: showWebhookUrl(url),
    format,
    on: events.split(" "),
    game: game_id === null ? null : (slugs.get(game_id) ?? game_id),
    createdAt: created_at,
    ...{ pending, delivered, dropped },
    failingSince: row.failing_since,
    lastError: row.last_error,
  };
}

export const webhookColumns = toColumns<WebhookView>({
  columns: {
    id: { header: "ID" },
    url: { header: "URL", shrink: 3 },
    on: { header: "EVENTS", value: ({ on }) => on.join(", "), shrink: 2 },
    game: { header: "GAME", shrink: 1 },
    format: { header: "FORMAT", wide: true },
    pending: { header: "PENDING" },
    delivered: { header: "DELIVERED" },
    dropped: { header: "DROPPED" },
    failingSince: { header: "FAILING SINCE", kind: "time" },
    lastError: { header: "LAST ERROR", shrink: 1 },
  },
});
