/** Removes what is left of testers who have no sessions. */
import { MAX_TESTERS_PER_STATEMENT, removeTesterFacts } from "./build-testers.ts";
import type { Db } from "./schema.ts";

/**
 * Removes the facts of testers in builds of which they have no session, and returns the number of rows. There are only some left
 * if a server of an earlier version, which counts no facts, has deleted a session.
 */
export async function forgetTesters(db: Db, gameId: string, testers: readonly string[]): Promise<number> {
  let forgotten = 0;
  for (let start = 0; start < testers.length; start += MAX_TESTERS_PER_STATEMENT) {
    const rows = await selectWithoutSessions(db, gameId)
      .selectAll()
      .where("tester", "in", testers.slice(start, start + MAX_TESTERS_PER_STATEMENT))
      .execute();
    for (const row of rows) await removeTesterFacts(db, row);
    forgotten += rows.length;
  }
  return forgotten;
}

/** Finds testers with facts in a build of which they have no session, by name beginning after `after`, at most `limit`. */
export async function findForgettableTesters(
  db: Db,
  gameId: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await selectWithoutSessions(db, gameId)
    .select("tester")
    .distinct()
    .where("tester", ">", after)
    .orderBy("tester")
    .limit(limit)
    .execute();
  return rows.map(({ tester }) => tester);
}

/** The rows of testers without a session in the build. A tester is a device, or a session without one. */
export const selectWithoutSessions = (db: Db, gameId: string) =>
  db
    .selectFrom("build_testers")
    .where("game_id", "=", gameId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("sessions")
            .select("sessions.id")
            .whereRef("sessions.game_id", "=", "build_testers.game_id")
            .whereRef("sessions.build", "=", "build_testers.build")
            .where((eb) =>
              eb.or([
                eb("sessions.device_id", "=", eb.ref("build_testers.tester")),
                eb("sessions.id", "=", eb.ref("build_testers.tester")),
              ]),
            ),
        ),
      ),
    );
