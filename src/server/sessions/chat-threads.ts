/** Chat threads: a webhook call opens a session for a thread, or continues its open session. */
import { HttpError } from "../../contract/errors.ts";
import { SOURCES } from "../../shared/session-sources.ts";
import type { Db } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { findGame } from "../games/game-queries.ts";
import { addSession } from "./sessions.ts";
import { touchThread } from "./thread-queries.ts";

/** How long the session of a thread stays open after the last call, ms. */
export const THREAD_WINDOW_MS = 30 * 60 * 1000;

/** A webhook call for a channel, or for a thread in it. */
export interface ThreadCall {
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
