/** Chat threads: a call opens a session, or goes on with the one that is open. */
import { HttpError } from "../../contract/errors.ts";
import { SOURCES } from "../../shared/session-sources.ts";
import type { Service } from "../db/service.ts";
import { findGame } from "../games/queries.ts";
import { addSession } from "./sessions.ts";
import { touchThread } from "./thread-queries.ts";

/** How long after its last call a thread's session stays open, ms. */
export const THREAD_WINDOW_MS = 30 * 60 * 1000;

/** A call for a channel, or for a thread of it. */
export interface ThreadCall {
  /** Id or slug. */
  readonly game: string;
  readonly channelId: string;
  readonly threadId?: string | undefined;
  /** The title of a session that is opened; tells the channel or thread unless told. */
  readonly title?: string;
  /** What was written there, kept as the transcript of a session that is opened. */
  readonly notes?: string;
}

/** Takes a call; answers whether it opened a session. Throws `bad_request` for a game that is not the account's. */
export async function recordThreadCall(
  service: Service,
  accountId: string,
  { game: named, channelId, threadId, title, notes }: ThreadCall,
): Promise<boolean> {
  const opened = await service.store.write(async (db) => {
    const game = await findGame(db, accountId, named);
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
    const name = threadId === undefined ? `Discord channel ${channelId}` : `Discord thread ${threadId}`;
    await addSession(db, service, game, {
      id,
      source: SOURCES.discord,
      status: "pending",
      title: title ?? name,
      transcript: notes ?? null,
      metadata: { channel_id: channelId, ...(threadId === undefined ? {} : { thread_id: threadId }) },
    });
    return true;
  });
  if (opened) service.wakeAnalysis();
  return opened;
}
