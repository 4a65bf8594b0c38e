/** Figures of builds, computed from all stored rows in the plainest way, to compare the service with. */
import type { BuildRollup, ComparedBuild } from "../../../src/contract/builds.ts";
import { frictionTypes } from "../../../src/contract/insights.ts";
import type { Db, SessionRow } from "../../../src/server/db/schema.ts";
import { computeStats } from "../../../src/server/sessions/play-time-queries.ts";

const friction: readonly string[] = frictionTypes;

async function readAll(db: Db) {
  return {
    sessions: await db.selectFrom("sessions").selectAll().orderBy("recorded_at").orderBy("id").execute(),
    insights: await db.selectFrom("insights").selectAll().execute(),
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

/** Two builds as a comparison shows them. */
export async function computeComparedBuilds(
  db: Db,
  versions: readonly [string, string],
  environment: string,
): Promise<ComparedBuild[]> {
  const rows = await readAll(db);
  return versions.map((version) => describeBuild(selectBuild(rows, version, environment), version));
}

function selectBuild(rows: StoredRows, version: string, environment: string) {
  const sessions = rows.sessions.filter(
    (session) => session.build === version && (environment === "all" || session.environment === environment),
  );
  const ids = new Map(sessions.map((session) => [session.id, session]));
  return {
    sessions,
    insights: rows.insights.flatMap((insight) => {
      const session = ids.get(insight.session_id);
      return session && friction.includes(insight.type) ? [{ ...insight, tester: session.tester }] : [];
    }),
  };
}

const countTesters = (rows: readonly Pick<SessionRow, "tester">[]) =>
  new Set(rows.map(({ tester }) => tester)).size;

function describeBuild(
  { sessions, insights }: ReturnType<typeof selectBuild>,
  version: string,
): ComparedBuild {
  const testersInBatch = countTesters(sessions);
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
      };
    }),
  };
}
