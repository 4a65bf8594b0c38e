/** Webhooks: a chat thread opens a session, or continues its open session. */
import type { ingestDiscordThread } from "../../contract/webhooks.ts";
import { requireCurrentKey } from "../accounts/authenticate.ts";
import type { Handler } from "../accounts/handler.ts";
import type { TemporaryKeys } from "../accounts/temporary-keys.ts";
import { StatusResponse } from "../core/responses.ts";
import type { Service } from "../db/service.ts";
import { recordThreadCall } from "./chat-threads.ts";

interface WebhookService extends Service {
  readonly temporaryKeys: TemporaryKeys;
}

export const handleIngestDiscordThread: Handler<typeof ingestDiscordThread, WebhookService> = async (
  { body },
  { service, accountId, key },
) => {
  const { game, channel_id: channelId, thread_id: threadId } = body;
  const { temporaryKeys } = service;
  const call = { game, channelId, threadId };
  const opened = await recordThreadCall(service, accountId, call, (db) =>
    requireCurrentKey({ db, temporaryKeys, now: service.now() }, key),
  );
  return opened
    ? { sessionsCreated: 1, messagesIngested: 0 }
    : new StatusResponse(200, { sessionsCreated: 0, messagesIngested: 0 });
};
