/** The webhook that receives the events of a gate. */
import { toStatusPath } from "../../webhooks/commit-status.ts";
import type { Db, GateRow, WebhookRow } from "../db/schema.ts";
import { findWebhook } from "../notifications/notification-queries.ts";
import type { Addressee } from "../notifications/outbox.ts";

type Scope = Pick<GateRow, "account_id" | "game_id">;

/** Finds a webhook by its name or id; null if it does not exist, or if it is of another game or does not want gates. */
export async function findReceiver(
  db: Db,
  { account_id, game_id }: Scope,
  name: string,
): Promise<WebhookRow | null> {
  const webhook = await findWebhook(db, account_id, name);
  const isFit =
    webhook !== undefined &&
    (webhook.game_id === null || webhook.game_id === game_id) &&
    webhook.events.split(" ").includes("gate.decided");
  return isFit ? webhook : null;
}

export const toAddressee = (
  { id, format }: Pick<WebhookRow, "id" | "format">,
  { commit_hash }: Pick<GateRow, "commit_hash">,
): Addressee => ({
  webhookId: id,
  path: format === "github-status" && commit_hash !== null ? toStatusPath(commit_hash) : null,
});
