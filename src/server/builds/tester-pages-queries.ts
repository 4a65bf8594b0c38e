/** Reads the testers of a build by first session, with their sessions, one page at a time. */
import { MAX_TESTER_SESSIONS } from "../../contract/build-facts.ts";
import type { PageRange } from "../db/list-queries.ts";
import type { Db, SessionRow } from "../db/schema.ts";
import type { SessionsQuery } from "./build-queries.ts";

/** A page ends once its testers have this many sessions, so that its size is bounded: the performance of one takes up to 20 kB. */
const MAX_PAGE_SESSIONS = 2000;

/** The columns of a session on a page of testers. */
export const sessionColumns = [
  ...(["id", "tester", "device_id", "active_ms", "wall_ms", "recorded_at"] as const),
  ...(["status", "analysis_version", "crashed", "performance"] as const),
] as const;
export type PagedSession = Pick<SessionRow, (typeof sessionColumns)[number]>;

/** The sessions of each tester of a page: the first MAX_TESTER_SESSIONS, in the order of recordedAt. Testers are in the order of their first session, and may be fewer than `limit`. */
export async function readTesterSessions(
  db: Db,
  sessions: SessionsQuery,
  page: PageRange,
): Promise<ReadonlyMap<string, readonly PagedSession[]>> {
  const testers = await readTesterPage(sessions, page);
  const byTester = new Map(testers.map((tester) => [tester, [] as PagedSession[]]));
  if (testers.length > 0)
    for (const row of await readSessions(db, sessions, testers)) byTester.get(row.tester)?.push(row);
  return byTester;
}

/** At most `limit` testers; fewer if they have more than MAX_PAGE_SESSIONS sessions together. */
async function readTesterPage(query: SessionsQuery, { limit, offset }: PageRange): Promise<string[]> {
  const rows = await query
    .select((eb) => ["tester", eb.fn.min("recorded_at").as("first"), eb.fn.countAll<number>().as("sessions")])
    .groupBy("tester")
    .orderBy("first")
    .orderBy("tester")
    .limit(limit)
    .offset(offset)
    .execute();
  let sessions = 0;
  const tooMany = rows.findIndex((row) => {
    sessions += Math.min(Number(row.sessions), MAX_TESTER_SESSIONS);
    return sessions > MAX_PAGE_SESSIONS;
  });
  return rows.slice(0, tooMany === -1 ? rows.length : tooMany).map(({ tester }) => tester);
}

async function readSessions(db: Db, sessions: SessionsQuery, testers: readonly string[]) {
  const ranked = sessions
    .select(sessionColumns)
    .select((eb) =>
      eb.fn
        .agg<number>("row_number")
        .over((over) => over.partitionBy("tester").orderBy("recorded_at").orderBy("id"))
        .as("rank"),
    )
    .where("tester", "in", testers);
  return await db
    .selectFrom(ranked.as("ranked"))
    .select(sessionColumns)
    .where("rank", "<=", MAX_TESTER_SESSIONS)
    .orderBy("recorded_at")
    .orderBy("id")
    .execute();
}
