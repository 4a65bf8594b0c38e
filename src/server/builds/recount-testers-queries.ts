/** SQL of recounts: the testers of a build, their sessions, and their stored facts. */
import { selectWithoutSessions } from "../db/forget-testers.ts";
import type { BuildTesterRow, Db } from "../db/schema.ts";
import { type CountedSession, countedSessionColumns } from "../db/session-facts.ts";
import type { BuildKey } from "./recount-queries.ts";

/** What the pages of testers come from: devices, sessions without a device, and testers who have no sessions any more. */
export const testerSources = ["device", "anonymous", "forgotten"] as const;
type TesterSource = (typeof testerSources)[number];

/** The testers of a build from one source, in order, after a tester. */
export async function listTesters(
  db: Db,
  { game_id, build }: BuildKey,
  source: TesterSource,
  after: string,
  limit: number,
): Promise<string[]> {
  if (source === "forgotten") {
    const rows = await selectWithoutSessions(db, game_id)
      .select("tester")
      .where("build", "=", build)
      .where("tester", ">", after)
      .orderBy("tester")
      .limit(limit)
      .execute();
    return rows.map(({ tester }) => tester);
  }
  const column = source === "device" ? "device_id" : "id";
  const rows = await db
    .selectFrom("sessions")
    .select(`${column} as tester`)
    .distinct()
    .where("game_id", "=", game_id)
    .where("build", "=", build)
    .where("device_id", source === "device" ? "is not" : "is", null)
    .where(column, ">", after)
    .orderBy(column)
    .limit(limit)
    .execute();
  return rows.map(({ tester }) => String(tester));
}

/** A page of the sessions of testers in a build. A tester is a device, or a session without one. */
export async function readSessionPage(
  db: Db,
  { game_id, build }: BuildKey,
  testers: readonly string[],
  after: CountedSession | undefined,
  limit: number,
): Promise<CountedSession[]> {
  return await db
    .selectFrom("sessions")
    .select(countedSessionColumns)
    .where("game_id", "=", game_id)
    .where("build", "=", build)
    .where((eb) => eb.or([eb("device_id", "in", testers), eb("id", "in", testers)]))
    .where("tester", "in", testers)
    .$if(after !== undefined, (query) => query.where("id", ">", after?.id ?? ""))
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** The facts of testers in a build as they are stored. */
export async function readStoredFacts(
  db: Db,
  { game_id, build }: BuildKey,
  testers: readonly string[],
): Promise<BuildTesterRow[]> {
  return await db
    .selectFrom("build_testers")
    .selectAll()
    .where("game_id", "=", game_id)
    .where("tester", "in", testers)
    .where("build", "=", build)
    .execute();
}
