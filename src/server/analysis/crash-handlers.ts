/** Lists crashes by their stack signature. */
import {
  type CrashGroup,
  type CrashPage,
  type listCrashes,
  MAX_CRASH_BUILDS,
} from "../../contract/crashes.ts";
import { DEFAULT_ENV, UNKNOWN_BUILD } from "../../contract/fields.ts";
import { groupBy } from "../../shared/group-by.ts";
import { type Handler, pageEnd, toPage } from "../accounts/handler.ts";
import type { Db } from "../db/schema.ts";
import { requireGame } from "../games/game-queries.ts";
import { requireKnownScope } from "../games/scope-queries.ts";
import { findCompleteSince } from "../sessions/complete-since.ts";
import type { SessionScope } from "../sessions/scope-queries.ts";
import { findEventConfig } from "../telemetry/event-config-queries.ts";
import type { TelemetryEvent } from "../telemetry/event-names.ts";
import { findEventsByName } from "../telemetry/find-events.ts";
import {
  type CrashSession,
  countTestersInScope,
  findCrashedSessions,
  findReportingSessions,
  findSessionsById,
  findSessionsWithEvents,
} from "./crash-queries.ts";
import { computeCrashSignature } from "./crash-signature.ts";
import { resolveMeanings } from "./meanings.ts";

export const handleListCrashes: Handler<typeof listCrashes> = async (input, { db, accountId }) => {
  const { id: gameId } = await requireGame(db, accountId, input.game);
  await requireKnownScope(db, gameId, input);
  const { build, env: environment = DEFAULT_ENV, from, to } = input;
  const filter: SessionScope = { gameId, environment, build, from, to };
  const { crashes, notGrouped, completeSince } = await readCrashes(db, filter);
  const groups = groupCrashes(crashes);
  const page = toPage(input);
  const items = groups.slice(page.offset, page.offset + page.limit);
  return {
    items,
    ...pageEnd(page.offset, items.length, groups.length),
    environment,
    crashCount: crashes.length,
    testerCount: countTesters(crashes),
    testersInScope: await countTestersInScope(db, filter),
    completeSince,
    notGrouped,
  } satisfies CrashPage;
};

const countTesters = (crashes: readonly Crash[]) => new Set(crashes.map(({ tester }) => tester)).size;

/** Groups crashes by their signature: the groups with the most testers first, then those with the most crashes. */
function groupCrashes(crashes: readonly Crash[]): CrashGroup[] {
  const signed = crashes.map((crash) => ({ crash, ...computeCrashSignature(crash.event.data) }));
  return [...groupBy(signed, ({ signature }) => signature)]
    .map(([signature, group]) => describeGroup(signature, group))
    .sort(
      (a, b) =>
        b.testerCount - a.testerCount || b.crashCount - a.crashCount || (a.signature < b.signature ? -1 : 1),
    );
}

function describeGroup(
  signature: string,
  group: readonly { readonly crash: Crash; readonly message: string | null }[],
): CrashGroup {
  const sorted = [...group].sort(
    ({ crash: a }, { crash: b }) => a.recordedAt - b.recordedAt || a.event.timestamp - b.event.timestamp,
  );
  const crashes = sorted.map(({ crash }) => crash);
  const [first, last] = [crashes[0], crashes.at(-1)];
  const builds = describeBuilds(crashes);
  return {
    signature,
    message: sorted.findLast(({ message }) => message !== null)?.message ?? null,
    crashCount: crashes.length,
    sessionCount: new Set(crashes.map(({ crashedSessionId, sessionId }) => crashedSessionId ?? sessionId))
      .size,
    testerCount: countTesters(crashes),
    builds: builds.slice(0, MAX_CRASH_BUILDS),
    buildCount: builds.length,
    firstSeen: first?.recordedAt ?? 0,
    lastSeen: last?.recordedAt ?? 0,
    firstBuild: first?.build ?? "",
    lastBuild: last?.build ?? "",
    sessionId: last?.sessionId ?? "",
    eventId: last?.event.id ?? "",
  };
}

/** The crashes by build, the build of the last crash first. */
function describeBuilds(crashes: readonly Crash[]): CrashGroup["builds"] {
  return [...groupBy([...crashes].reverse(), ({ build }) => build)].map(([build, ofBuild]) => ({
    build,
    crashCount: ofBuild.length,
    testerCount: countTesters(ofBuild),
  }));
}

/** Maximum number of sessions that one request reads, of bytes of their events, and of crashes of one session. */
const MAX_READ_SESSIONS = 1000;
const MAX_READ_BYTES = 8 * 1024 * 1024;
const MAX_SESSION_CRASHES = 1000;

interface Crash {
  readonly event: TelemetryEvent;
  /** The session that contains the event. */
  readonly sessionId: string;
  /** The session that crashed; null if an event names a session that the service does not have. */
  readonly crashedSessionId: string | null;
  readonly tester: string;
  readonly build: string;
  /** When the session that crashed started, or else when the session that reported it started, unix ms. */
  readonly recordedAt: number;
}

interface ReadCrashes {
  readonly crashes: readonly Crash[];
  /** Number of sessions with crashes that could not be read, by reason. */
  readonly completeSince: number | null;
  readonly notGrouped: { readonly pruned: number; readonly damaged: number; readonly unread: number };
}

/** Reads the crashes of the sessions that match. */
async function readCrashes(db: Db, filter: SessionScope): Promise<ReadCrashes> {
  const names = new Set(resolveMeanings(await findEventConfig(db, filter.gameId)).crash);
  const own = await findSessionsWithEvents(db, filter, [...names], MAX_READ_SESSIONS);
  const ownIds = new Set(own.sessions.map(({ id }) => id));
  const reporting = await findReportingSessions(db, filter, MAX_READ_SESSIONS);
  const sessions = [...own.sessions, ...reporting.filter(({ id }) => !ownIds.has(id))];
  const found: FoundCrash[] = [];
  const notGrouped = { damaged: 0, unread: own.total - own.sessions.length };
  const pruned: CrashSession[] = [];
  let bytes = 0;
  for (const session of sessions) {
    const expected = countEvents(session, names);
    if (expected === 0) continue;
    if (session.events_pruned_at !== null) pruned.push(session);
    else if (bytes > MAX_READ_BYTES) notGrouped.unread += 1;
    else {
      const max = Math.min(expected, MAX_SESSION_CRASHES);
      const read = await findEventsByName(db, session, names, max);
      bytes += read.bytes;
      if (read.found.length < max && read.damaged) notGrouped.damaged += 1;
      found.push(...read.found.map((event) => ({ event, session })));
    }
  }
  return {
    crashes: await attributeCrashes(db, filter, found),
    completeSince: findCompleteSince(pruned),
    notGrouped: { ...notGrouped, pruned: pruned.length },
  };
}

/** A crash event in the session that contains it. */
interface FoundCrash {
  readonly event: TelemetryEvent;
  readonly session: CrashSession;
}

function countEvents({ event_counts }: CrashSession, names: ReadonlySet<string>): number {
  const counts = JSON.parse(event_counts) as Record<string, number>;
  return [...names].reduce((sum, name) => sum + (Object.hasOwn(counts, name) ? (counts[name] ?? 0) : 0), 0);
}

/** Replaces the session of each event by the session that crashed, and drops those that do not match. */
async function attributeCrashes(
  db: Db,
  filter: SessionScope,
  found: readonly FoundCrash[],
): Promise<Crash[]> {
  const ids = [...new Set(found.map(({ session }) => session.id))];
  const reported = await findCrashedSessions(db, filter.gameId, ids);
  const crashedByEvent = new Map(
    reported.map((row) => [eventKey(row.session_id, row.event_id), row.crashed_session_id]),
  );
  const crashedIds = [...new Set(reported.flatMap(({ crashed_session_id: id }) => id ?? []))];
  const crashedById = new Map(
    (await findSessionsById(db, filter.gameId, crashedIds)).map((row) => [row.id, row]),
  );
  return found.flatMap(({ event, session }) => {
    const crashedId = crashedByEvent.get(eventKey(session.id, event.id));
    const crashed = crashedId === undefined ? session : crashedById.get(crashedId ?? "");
    const subject = crashed ?? { ...session, build: UNKNOWN_BUILD };
    if (!matchesFilter(subject, filter)) return [];
    const { tester, build, recorded_at: recordedAt } = subject;
    return [
      { event, sessionId: session.id, crashedSessionId: crashed?.id ?? null, tester, build, recordedAt },
    ];
  });
}

const eventKey = (sessionId: string, eventId: string) => JSON.stringify([sessionId, eventId]);

function matchesFilter(
  session: CrashSession,
  { environment = "all", build, from, to }: SessionScope,
): boolean {
  return (
    (environment === "all" || session.environment === environment) &&
    (build === undefined || session.build === build) &&
    (from === undefined || session.recorded_at >= from) &&
    (to === undefined || session.recorded_at <= to)
  );
}
