/** Webhooks: a chat thread opens a session, or continues its open session. */

import { HttpError } from "../../contract/errors.ts";
import type { ingestDiscordThread } from "../../contract/webhooks.ts";
import { SOURCES } from "../../shared/session-sources.ts";
import { requireCurrentKey } from "../accounts/authenticate.ts";
import type { Handler } from "../accounts/handler.ts";
import type { TemporaryKeys } from "../accounts/keys.ts";
import { StatusResponse } from "../core/responses.ts";
import type { Db } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { findGame } from "../games/game-queries.ts";
import { addSession } from "./sessions.ts";
import { touchThread } from "./thread-queries.ts";

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

/** How long the session of a thread stays open after the last call, ms. */
const THREAD_WINDOW_MS = 30 * 60 * 1000;

/** A webhook call for a channel, or for a thread in it. */
interface ThreadCall {
  /** The id or slug of the game. */
  readonly game: string;
  readonly channelId: string;
  readonly threadId?: string | undefined;
  /** The title of a new session (default: the channel or thread). */
  readonly title?: string;
  /** The text of the thread, stored as the transcript of a new session. */
  readonly notes?: string;
}

/**
 * Records a call and returns whether it opened a session. Throws `bad_request` for a game that is not the account's.
 * `authorize` runs first in the same transaction.
 */
export async function recordThreadCall(
  service: Service,
  accountId: string,
  { game: gameRef, channelId, threadId, title, notes }: ThreadCall,
  authorize: (db: Db) => Promise<void> = async () => {},
): Promise<boolean> {
  const opened = await service.store.write(async (db) => {
    await authorize(db);
    const game = await findGame(db, accountId, gameRef);
    if (!game) throw new HttpError("bad_request", { message: "unknown game" });
    const id = service.newId("sess");
    const thread = {
      game_id: game.id,
      channel_id: channelId,
      thread_id: threadId ?? "",
      session_id: id,
      called_at: service.now(),
    };
    if ((await touchThread(db, thread, THREAD_WINDOW_MS)) !== id) return false;
    const defaultTitle =
      threadId === undefined ? `Discord channel ${channelId}` : `Discord thread ${threadId}`;
    await addSession(db, service, game, {
      id,
      source: SOURCES.discord,
      status: "pending",
      title: title ?? defaultTitle,
      transcript: notes ?? null,
      metadata: { channel_id: channelId, ...(threadId === undefined ? {} : { thread_id: threadId }) },
    });
    return true;
  });
  if (opened) service.wakeAnalysis();
  return opened;
}
