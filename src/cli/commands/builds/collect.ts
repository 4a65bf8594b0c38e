/** Collects builds from sessions, for services that have no list of builds. */

import type { BuildRow } from "../../../contract/build-list.ts";
import { compareBuildTimes } from "../../../contract/build-order.ts";
import type { Session } from "../../../contract/sessions.ts";
import * as sessions from "../../../contract/sessions.ts";
import type { Context } from "../../context.ts";
import { enforceMemoryLimit, readPages } from "../gather.ts";
import { type TimedSession, timesByBuild } from "./build-times.ts";

/** The default of --sessions: ten pages. */
export const DEFAULT_SESSIONS_READ = 1000;

export interface BuildSelection {
  readonly game: string;
  readonly env: string | undefined;
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** The number of sessions to read. */
  readonly sessions: number | undefined;
  readonly all: boolean;
}

/** The builds of the sessions that were read, the one played last first. */
export async function collectBuilds(context: Context, selection: BuildSelection) {
  const { sessions: limit = DEFAULT_SESSIONS_READ, all, ...filter } = selection;
  const client = await context.client(sessions, { keepAlive: true });
  const rows = new Map<string, MutableRow>();
  const times: TimedSession[] = [];
  let sessionsRead = 0;
  let sessionsTotal = 0;
  const pages = readPages(context, { limit, offset: 0, all }, (range) =>
    client.listSessions({ ...filter, ...range }),
  );
  for await (const page of enforceMemoryLimit(context, pages)) {
    for (const session of page.items) {
      countSession(rows, session);
      times.push(toTimedSession(session));
    }
    sessionsRead += page.items.length;
    sessionsTotal = page.total;
  }
  if (sessionsRead < sessionsTotal && context.settings.format.value === "table")
    await context.notify(
      `Showing the builds of the newest ${sessionsRead} of ${sessionsTotal} sessions. Use --all to read all sessions.`,
    );
  const builds: BuildRow[] = [...timesByBuild(times, context.io.now()).values()]
    .sort((a, b) => compareBuildTimes(b, a))
    .flatMap(({ version }) => rows.get(version) ?? []);
  return { builds, sessionsRead, sessionsTotal };
}

/** Keeps only the fields that decide the order of builds, to save memory. */
function toTimedSession({ id, recordedAt, receivedAt, clockCorrected, metadata }: Session): TimedSession {
  return { id, recordedAt, receivedAt, clockCorrected, metadata: { gameVersion: metadata.gameVersion } };
}

type MutableRow = { -readonly [Field in keyof BuildRow]: BuildRow[Field] };

/** Adds a session to its build. */
function countSession(
  builds: Map<string, MutableRow>,
  { metadata, status, recordedAt, duration }: Session,
): void {
  const version = metadata.gameVersion;
  const build = builds.get(version) ?? {
    version,
    sessionCount: 0,
    analyzedCount: 0,
    failedCount: 0,
    firstSeen: recordedAt,
    lastSeen: recordedAt,
    totalWallSec: 0,
  };
  build.sessionCount += 1;
  if (status === "analyzed") build.analyzedCount += 1;
  if (status === "failed") build.failedCount += 1;
  build.firstSeen = Math.min(build.firstSeen, recordedAt);
  build.lastSeen = Math.max(build.lastSeen, recordedAt);
  build.totalWallSec += duration;
  builds.set(version, build);
}
