/** Figures of builds, computed from all stored rows in the plainest way, to compare the service with. */
import type { BuildRollup, ComparedBuild } from "../../../src/contract/builds.ts";
import { frictionTypes } from "../../../src/contract/insights.ts";
import type { Db, SessionRow } from "../../../src/server/db/schema.ts";
import { computeStats } from "../../../src/server/sessions/play-time-queries.ts";
import { listAnswered } from "../../../src/shared/answered-questions.ts";
import { findTagQuestion, findTagRoom, toTagRoom } from "../../../src/shared/tag-subjects.ts";

const friction: readonly string[] = frictionTypes;

async function readAll(db: Db) {
  return {
    sessions: await db.selectFrom("sessions").selectAll().orderBy("recorded_at").orderBy("id").execute(),
    insights: await db.selectFrom("insights").selectAll().execute(),
    rooms: await db.selectFrom("room_times").selectAll().execute(),
    submissions: await db.selectFrom("feedback_submissions").selectAll().execute(),
  };
}
type StoredRows = Awaited<ReturnType<typeof readAll>>;

function rank(values: readonly string[]): string[] {
  const count = (value: string) => values.filter((other) => other === value).length;
  return [...new Set(values)].sort((a, b) => count(b) - count(a) || (a < b ? -1 : 1));
}

/** The rollup of each build. The database has one game. */
export async function computeRollups(db: Db): Promise<BuildRollup[]> {
  const { sessions } = await readAll(db);
  return [...new Set(sessions.map(({ build }) => build))].sort().map((version) => {
    const own = sessions.filter(({ build }) => build === version);
    return {
      version,
      sessionCount: own.length,
      uniqueDevices: new Set(own.flatMap(({ device_id }) => device_id ?? [])).size,
      testerCount: new Set(own.map(({ tester }) => tester)).size,
      environments: rank(own.map(({ environment }) => environment)),
      firstSeen: Math.min(...own.map(({ recorded_at }) => recorded_at)),
      lastSeen: Math.max(...own.map(({ recorded_at }) => recorded_at)),
      stats: computeStats(own),
      sampleCountry: rank(own.flatMap(({ country }) => country ?? []))[0] ?? null,
    };
  });
}

/** Two builds as a comparison shows them, without the ratings. */
export async function computeComparedBuilds(
  db: Db,
  versions: readonly [string, string],
  environment: string,
): Promise<Omit<ComparedBuild, "outcomes">[]> {
  const rows = await readAll(db);
  const builds = versions.map((version) => selectBuild(rows, version, environment));
  const tagRooms = new Set(builds.flatMap(({ rooms }) => rooms.map(({ room }) => toTagRoom(room))));
  return builds.map((build, at) => describeBuild(build, versions[at] ?? "", tagRooms));
}

function selectBuild(rows: StoredRows, version: string, environment: string) {
  const sessions = rows.sessions.filter(
    (session) => session.build === version && (environment === "all" || session.environment === environment),
  );
  const ids = new Map(sessions.map((session) => [session.id, session]));
  const own = <Row extends { session_id: string }>(all: readonly Row[]) =>
    all.flatMap((row) => {
      const session = ids.get(row.session_id);
      return session ? [{ ...row, tester: session.tester }] : [];
    });
  return {
    sessions,
    insights: own(rows.insights).filter(({ type }) => friction.includes(type)),
    rooms: own(rows.rooms),
    submissions: own(rows.submissions),
  };
}

const countTesters = (rows: readonly Pick<SessionRow, "tester">[]) =>
  new Set(rows.map(({ tester }) => tester)).size;

function describeBuild(
  { sessions, insights, rooms, submissions }: ReturnType<typeof selectBuild>,
  version: string,
  tagRooms: ReadonlySet<string>,
): Omit<ComparedBuild, "outcomes"> {
  const testersInBatch = countTesters(sessions);
  const countExposed = (tag: string): number => {
    const question = findTagQuestion(tag);
    if (question !== null)
      return countTesters(
        submissions.filter(({ responses }) => listAnswered(JSON.parse(responses)).includes(question)),
      );
    const location = findTagRoom(tag, tagRooms);
    if (location === null) return testersInBatch;
    const entered = rooms.filter(({ room }) => toTagRoom(room) === location);
    return countTesters([...entered, ...insights.filter((insight) => insight.tag === tag)]);
  };
  const tags = [...new Set(insights.map(({ tag }) => tag))].sort((a, b) =>
    Buffer.compare(Buffer.from(a), Buffer.from(b)),
  );
  return {
    version,
    testersInBatch,
    sessionCount: sessions.length,
    analysisVersions: [...new Set(sessions.flatMap((row) => row.analysis_version ?? []))].sort(
      (a, b) => a - b,
    ),
    testersWithoutDevice: sessions.filter(({ device_id }) => device_id === null).length,
    byTag: tags.map((tag) => {
      const own = insights.filter((insight) => insight.tag === tag);
      return {
        tag,
        testersWithTag: countTesters(own),
        testersInBatch,
        pct: (countTesters(own) / testersInBatch) * 100,
        insightCount: own.length,
        testersExposed: countExposed(tag),
      };
    }),
  };
}
