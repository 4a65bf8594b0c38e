/** Webhooks: a chat thread opens a session, or goes on with the one that is open. */
import { fail } from "../../contract/errors.ts";
import type { ingestDiscordThread } from "../../contract/webhooks.ts";
import { Answered } from "../json.ts";
import { touchThread } from "../queries/chat-threads.ts";
import { findGame } from "../queries/games.ts";
import { addSession } from "../sessions.ts";
import type { Handler } from "./handler.ts";

/** How long after its last call a thread's session stays open, ms. */
export const THREAD_WINDOW_MS = 30 * 60 * 1000;

export const handleIngestDiscordThread: Handler<typeof ingestDiscordThread> = async (
  { body },
  { service, accountId },
) => {
  const { channel_id, thread_id } = body;
  const created = await service.store.write.transaction().execute(async (db) => {
    const game = await findGame(db, accountId, body.game);
    if (!game) throw fail("bad_request", { message: "unknown game" });
    const id = service.newId("sess");
    const thread = {
      game_id: game.id,
      channel_id,
      thread_id: thread_id ?? "",
      session_id: id,
      called_at: service.now(),
    };
    if ((await touchThread(db, thread, THREAD_WINDOW_MS)) !== id) return false;
    await addSession(db, service, game, {
      id,
      source: "discord",
      status: "pending",
      title: thread_id === undefined ? `Discord channel ${channel_id}` : `Discord thread ${thread_id}`,
      metadata: { channel_id, ...(thread_id === undefined ? {} : { thread_id }) },
    });
    return true;
  });
  if (!created) return new Answered(200, { sessionsCreated: 0, messagesIngested: 0 });
  service.wakeAnalysis();
  return { sessionsCreated: 1, messagesIngested: 0 };
};
