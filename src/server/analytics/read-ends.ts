/** Reads how the sessions of a build ended, from their stored events. */
import type { BuildDropoff } from "../../contract/dropoff.ts";
import { readCrashedRef } from "../analysis/crash-reports.ts";
import { type EventMeanings, resolveMeanings } from "../analysis/meanings.ts";
import type { SessionEvent } from "../analysis/recorded-session.ts";
import type { Db } from "../db/schema.ts";
import { findEventConfig } from "../telemetry/event-config-queries.ts";
import type { TelemetryEvent } from "../telemetry/event-names.ts";
import { streamSessionEvents } from "../telemetry/session-batch-queries.ts";
import type { EndedSession } from "./dropoff.ts";
import { readSessionEnd } from "./session-end.ts";
import {
  findReportedCrashes,
  readScopedSessions,
  type ScopedSession,
  type SessionScope,
  selectWithinLimit,
} from "./session-queries.ts";

/** The ends of the sessions, and how many sessions were left out. */
interface ReadEnds {
  readonly ends: readonly EndedSession[];
  readonly sessions: BuildDropoff["sessions"];
}

/** Sessions with one of these states have ended, and all that is known about them was analyzed. */
const ENDED = new Set(["analyzed", "failed"]);

export async function readSessionEnds(db: Db, scope: SessionScope): Promise<ReadEnds> {
  const all = await readScopedSessions(db, scope);
  const ended = all.filter(({ status }) => ENDED.has(status));
  const stored = ended.filter((session) => session.next_batch > 0 && session.events_pruned_at === null);
  const { selected, skipped } = selectWithinLimit(stored);
  const meanings = resolveMeanings(await findEventConfig(db, scope.gameId));
  const reported = await findReportedCrashes(
    db,
    scope.gameId,
    selected.map(({ id }) => id),
  );
  const ends: EndedSession[] = [];
  let unreadable = 0;
  for await (const { session, events } of streamSessionEvents(db, scope.gameId, selected)) {
    if (events === null) unreadable += 1;
    else ends.push(toEndedSession(session, events, meanings, reported.has(session.id)));
  }
  return {
    ends,
    sessions: {
      total: all.length,
      read: ends.length,
      open: all.length - ended.length,
      withoutEvents: ended.length - stored.length,
      unreadable,
      skipped,
    },
  };
}

function toEndedSession(
  session: ScopedSession,
  stored: readonly TelemetryEvent[],
  meanings: EventMeanings,
  isCrashReported: boolean,
): EndedSession {
  const events = stored.map((event): SessionEvent => ({ ...event, data: event.data ?? null }));
  const isOwnCrash = (event: SessionEvent) => readCrashedRef(event, session) === null;
  return {
    ...readSessionEnd(events, { meanings, isCrashReported, isOwnCrash }),
    deviceId: session.device_id,
    recordedAt: session.recorded_at,
  };
}
