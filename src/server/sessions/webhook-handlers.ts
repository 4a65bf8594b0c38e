/** Webhooks: a chat thread opens a session, or continues its open session. */
import type { ingestDiscordThread } from "../../contract/webhooks.ts";
import type { Handler } from "../accounts/handler.ts";
import { StatusResponse } from "../core/responses.ts";
import { recordThreadCall } from "./chat-threads.ts";

export const handleIngestDiscordThread: Handler<typeof ingestDiscordThread> = async (
  { body },
  { service, accountId },
) => {
  const { game, channel_id: channelId, thread_id: threadId } = body;
  const opened = await recordThreadCall(service, accountId, { game, channelId, threadId });
  return opened
    ? { sessionsCreated: 1, messagesIngested: 0 }
    : new StatusResponse(200, { sessionsCreated: 0, messagesIngested: 0 });
};
