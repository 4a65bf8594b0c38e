/** Creates and tests webhooks. */

import { renderBody } from "../../webhooks/body.ts";
import { commitStatusHeaders } from "../../webhooks/commit-status.ts";
import type { WebhookResponse } from "../../webhooks/response.ts";
import type { WebhookRequest } from "../../webhooks/send.ts";
import { createSecret } from "../../webhooks/signature.ts";
import { decryptToken, encryptToken, UnreadableToken } from "../../webhooks/token-cipher.ts";
import { type Dependencies, systemDependencies } from "../core/dependencies.ts";
import { ServiceError } from "../core/errors.ts";
import { emptyColumns, insertRow, updateRow } from "../db/rows.ts";
import type { Db, WebhookDeliveryRow, WebhookRow } from "../db/schema.ts";
import { testMessage, type WebhookEvent } from "./events.ts";
import { MAX_WEBHOOKS } from "./limits.ts";
import { countWebhooks, findTokens, findWebhook, type WebhookWithPending } from "./notification-queries.ts";

/** The token of a new webhook, and the key that encrypts it. */
export interface ReceiverToken {
  readonly token: string;
  readonly key: Buffer;
}

/** Creates a webhook with a new secret. Throws `conflict` if the account has too many, or one with the name. The URL must have been checked. */
export async function createWebhook(
  db: Db,
  { now, newId }: Pick<Dependencies, "now" | "newId">,
  accountId: string,
  {
    gameId,
    events,
    name = null,
    token = null,
    ...target
  }: Pick<WebhookRow, "url" | "format"> & {
    readonly gameId: string | null;
    readonly events: readonly WebhookEvent[];
    readonly name?: string | null;
    readonly token?: ReceiverToken | null;
  },
): Promise<WebhookRow> {
  if ((await countWebhooks(db, accountId)) >= MAX_WEBHOOKS) {
    throw new ServiceError("conflict", {
      message: `The account has ${MAX_WEBHOOKS} webhooks, which is the maximum`,
      hint: "Remove one with `playtest admin webhooks remove <id>`.",
    });
  }
  if (name !== null && (await findWebhook(db, accountId, name))) {
    throw new ServiceError("conflict", {
      message: `The account already has a webhook called ${name}`,
      hint: "Choose another --name, or remove that one with `playtest admin webhooks remove <id>`.",
    });
  }
  const id = newId("whk");
  const row: WebhookRow = {
    ...emptyColumns("webhooks"),
    account_id: accountId,
    id,
    game_id: gameId,
    ...target,
    name,
    events: events.join(" "),
    secret: createSecret(),
    token: token && encryptToken(token.token, token.key, id),
    created_at: now(),
    delivered: 0,
    dropped: 0,
    ...{ failures: "{}", bursts: "{}" },
  };
  await insertRow(db, "webhooks", row);
  return row;
}

/** A webhook of an account by its id or name. Throws `not_found` if there is none. */
export async function requireWebhook(db: Db, accountId: string, id: string): Promise<WebhookWithPending> {
  const webhook = await findWebhook(db, accountId, id);
  if (webhook) return webhook;
  throw new ServiceError("not_found", {
    message: `Webhook ${JSON.stringify(id)} not found`,
    hint: "Run `playtest admin webhooks list` to list the webhooks.",
  });
}

/**
 * The request that sends an event. A receiver with a token knows by it who sends, so that nothing is signed. Throws UnreadableToken if
 * `tokenKey` does not decrypt it.
 */
export function toWebhookRequest(
  webhook: WebhookRow,
  { id, path, body }: Pick<WebhookDeliveryRow, "id" | "path" | "body">,
  tokenKey: Buffer | null,
  now: number,
): WebhookRequest {
  const { id: owner, url, token } = webhook;
  if (token === null) return { url, id, body, secrets: listSecrets(webhook, now) };
  const headers = commitStatusHeaders(decryptToken(token, tokenKey, owner));
  return { url: `${url}${path ?? ""}`, id, body, secrets: [], headers };
}

/** The secrets that sign requests now, the newest one first. */
const listSecrets = (
  { secret, old_secret, old_secret_until }: Pick<WebhookRow, "secret" | "old_secret" | "old_secret_until">,
  now: number,
): string[] => (old_secret !== null && now < (old_secret_until ?? 0) ? [secret, old_secret] : [secret]);

/**
 * Replaces the secret of a webhook by a new one. The one before also signs requests for `overlapMs`. Throws `conflict` for a
 * receiver that checks no signatures.
 */
export async function rotateSecret(
  db: Db,
  webhook: WebhookRow,
  now: number,
  overlapMs: number,
): Promise<{ readonly secret: string; readonly oldSecretUntil: number | null }> {
  requireFormat(webhook, false, "It has a token: use `playtest admin webhooks set-token`.");
  const secret = createSecret();
  const until = overlapMs === 0 ? null : now + overlapMs;
  const old = { old_secret: until === null ? null : webhook.secret, old_secret_until: until };
  await updateRow(db, "webhooks", webhook, { secret, ...old });
  return { secret, oldSecretUntil: until };
}

/** Replaces the token of a receiver of commit statuses. Throws `conflict` for another receiver. */
export async function replaceToken(
  db: Db,
  webhook: WebhookRow,
  { token, key }: ReceiverToken,
): Promise<void> {
  requireFormat(webhook, true, "It has a secret: use `playtest admin webhooks rotate-secret`.");
  await updateRow(db, "webhooks", webhook, { token: encryptToken(token, key, webhook.id) });
}

function requireFormat({ id, format }: WebhookRow, isStatus: boolean, hint: string): void {
  if ((format === "github-status") === isStatus) return;
  throw new ServiceError("conflict", { message: `The webhook ${id} has the format ${format}`, hint });
}

/** The names of the webhooks whose token the key does not decrypt. */
export async function findUnreadableTokens(db: Db, tokenKey: Buffer | null): Promise<string[]> {
  const isReadable = ({ id, token }: { readonly id: string; readonly token: string | null }) => {
    try {
      return token === null || decryptToken(token, tokenKey, id) !== "";
    } catch (error) {
      if (error instanceof UnreadableToken) return false;
      throw error;
    }
  };
  return (await findTokens(db)).filter((row) => !isReadable(row)).map(({ id, name }) => name ?? id);
}

/**
 * Sends a test event now, unix ms, and returns the response. The receiver of statuses of commits has none for a test: its repository is
 * read. Throws SendError and UnreadableToken.
 */
export async function sendTest(
  webhook: WebhookRow,
  tokenKey: Buffer | null,
  now: number,
  signal: AbortSignal,
): Promise<WebhookResponse> {
  const { sendWebhook } = await import("../../webhooks/send.ts");
  const { id, format } = webhook;
  const event = {
    id: systemDependencies.newId("evt"),
    path: null,
    body: renderBody(format, testMessage(id, now)),
  };
  const method = format === "github-status" ? "GET" : "POST";
  return await sendWebhook(toWebhookRequest(webhook, event, tokenKey, now), { now, signal, method });
}
