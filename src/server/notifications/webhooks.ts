/** Creates and tests webhooks. */

import { renderBody } from "../../webhooks/body.ts";
import type { WebhookResponse } from "../../webhooks/response.ts";
import { createSecret } from "../../webhooks/signature.ts";
import { type Dependencies, systemDependencies } from "../core/dependencies.ts";
import { ServiceError } from "../core/errors.ts";
import { insertRow } from "../db/rows.ts";
import type { Db, WebhookRow } from "../db/schema.ts";
import { testMessage, type WebhookEvent } from "./events.ts";
import { MAX_WEBHOOKS } from "./limits.ts";
import { countWebhooks, findWebhook, type WebhookWithPending } from "./notification-queries.ts";

/** Creates a webhook with a new secret. Throws `conflict` if the account has too many. The URL must have been checked. */
export async function createWebhook(
  db: Db,
  { now, newId }: Pick<Dependencies, "now" | "newId">,
  accountId: string,
  {
    gameId,
    events,
    ...target
  }: Pick<WebhookRow, "url" | "format"> & {
    readonly gameId: string | null;
    readonly events: readonly WebhookEvent[];
  },
): Promise<WebhookRow> {
  if ((await countWebhooks(db, accountId)) >= MAX_WEBHOOKS) {
    throw new ServiceError("conflict", {
      message: `The account has ${MAX_WEBHOOKS} webhooks, which is the maximum`,
      hint: "Remove one with `playtest admin webhooks remove <id>`.",
    });
  }
  const row: WebhookRow = {
    account_id: accountId,
    id: newId("whk"),
    game_id: gameId,
    ...target,
    events: events.join(" "),
    secret: createSecret(),
    created_at: now(),
    lease: null,
    delivered: 0,
    dropped: 0,
    attempted_at: null,
    failing_since: null,
    last_error: null,
    bursts: "{}",
  };
  await insertRow(db, "webhooks", row);
  return row;
}

/** A webhook of an account. Throws `not_found` if there is none with this id. */
export async function requireWebhook(db: Db, accountId: string, id: string): Promise<WebhookWithPending> {
  const webhook = await findWebhook(db, accountId, id);
  if (webhook) return webhook;
  throw new ServiceError("not_found", {
    message: `Webhook ${JSON.stringify(id)} not found`,
    hint: "Run `playtest admin webhooks list` to list the webhooks.",
  });
}

/** Sends a test event now, unix ms, and returns the response. Throws SendError. */
export async function sendTest(
  { id, url, format, secret }: WebhookRow,
  now: number,
  signal: AbortSignal,
): Promise<WebhookResponse> {
  const { sendWebhook } = await import("../../webhooks/send.ts");
  const body = renderBody(format, testMessage(id, now));
  return await sendWebhook({ url, id: systemDependencies.newId("evt"), body, secret }, { now, signal });
}
