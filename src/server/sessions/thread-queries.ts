/** Reads and writes the current session of each chat thread. */
import type { ChatThreadRow, Db } from "../db/schema.ts";

/**
 * Records a call for a thread and returns its session: that of the last call if it was less than `windowMs` ago, otherwise
 * that of `thread`. A single statement, so that concurrent calls agree on one session.
 *
 * Calls may arrive out of order, and the clocks of servers differ, so the time of the last call never moves back. The
 * exception is a time that is `windowMs` or more ahead. It was recorded before the clock was set back, so its session is
 * not continued, and would otherwise stay open until the clock is there again.
 */
export async function touchThread(db: Db, thread: ChatThreadRow, windowMs: number): Promise<string> {
  const row = await db
    .insertInto("chat_threads")
    .values(thread)
    .onConflict((conflict) =>
      conflict.columns(["game_id", "channel_id", "thread_id"]).doUpdateSet((eb) => ({
        called_at: eb
          .case()
          .when(
            eb.and([
              eb("chat_threads.called_at", ">", thread.called_at),
              eb("chat_threads.called_at", "<", thread.called_at + windowMs),
            ]),
          )
          .then(eb.ref("chat_threads.called_at"))
          .else(eb.ref("excluded.called_at"))
          .end(),
        session_id: eb
          .case()
          .when(
            eb.and([
              eb("chat_threads.called_at", ">", thread.called_at - windowMs),
              eb("chat_threads.called_at", "<", thread.called_at + windowMs),
            ]),
          )
          .then(eb.ref("chat_threads.session_id"))
          .else(eb.ref("excluded.session_id"))
          .end(),
      })),
    )
    .returning("session_id")
    .executeTakeFirstOrThrow();
  return row.session_id;
}
