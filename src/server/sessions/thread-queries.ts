/** Reads and writes chat threads: which session each was last written to. */
import type { ChatThreadRow, Db } from "../db/schema.ts";

/**
 * Notes a call for a thread and answers the session it goes to: the one of the last call where that is less than
 * `windowMs` ago, else the one offered. One statement, so that of calls at the same moment one wins.
 */
export async function touchThread(db: Db, offered: ChatThreadRow, windowMs: number): Promise<string> {
  const row = await db
    .insertInto("chat_threads")
    .values(offered)
    .onConflict((conflict) =>
      conflict.columns(["game_id", "channel_id", "thread_id"]).doUpdateSet((eb) => ({
        called_at: eb.ref("excluded.called_at"),
        session_id: eb
          .case()
          .when("chat_threads.called_at", ">", offered.called_at - windowMs)
          .then(eb.ref("chat_threads.session_id"))
          .else(eb.ref("excluded.session_id"))
          .end(),
      })),
    )
    .returning("session_id")
    .executeTakeFirstOrThrow();
  return row.session_id;
}
