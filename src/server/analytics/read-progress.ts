/** Reads how far each tester got in a funnel, from the stored events of their sessions. */
import type { Funnel } from "../../contract/funnels.ts";
import { OTHER_EVENTS } from "../../shared/event-names.ts";
import { addToGroup, groupBy } from "../../shared/group-by.ts";
import type { Db } from "../db/schema.ts";
import { streamSessionEvents } from "../telemetry/session-batch-queries.ts";
import {
  advance,
  type FunnelEvent,
  type FunnelStepSpec,
  reachesStep,
  readFunnelEvents,
  type StepTimes,
} from "./funnel.ts";
import type { ScopedSession } from "./session-queries.ts";
import { countEvents, MAX_READ_EVENTS, MAX_READ_SESSIONS } from "./session-queries.ts";

/** A session, and the group in which it counts. */
export interface GroupedSession {
  readonly group: string | null;
  readonly session: ScopedSession;
}

/** The progress of the testers of each group, and what was left out. */
interface ReadProgress {
  readonly groups: ReadonlyMap<string | null, readonly StepTimes[]>;
  readonly sessions: Funnel["sessions"];
  readonly testers: Funnel["testers"];
  /** The steps that no event reached, whether or not the steps before were reached. */
  readonly unseen: readonly FunnelStepSpec[];
}

interface TesterSessions {
  readonly group: string | null;
  readonly tester: string;
  readonly sessions: ScopedSession[];
}

/** Number of testers whose sessions are read at a time. */
const TESTERS_PER_PART = 50;

/** Reads the progress of each tester through their sessions in the order of time. Sessions must be the newest first. */
export async function readProgress(
  db: Db,
  gameId: string,
  steps: readonly FunnelStepSpec[],
  grouped: readonly GroupedSession[],
): Promise<ReadProgress> {
  const testers = groupByTester(grouped);
  const { selected, skipped } = selectTesters(testers, steps);
  const groups = new Map<string | null, StepTimes[]>();
  const unseen = new Set(steps);
  let unreadable = 0;
  for (let start = 0; start < selected.length; start += TESTERS_PER_PART) {
    const part = selected.slice(start, start + TESTERS_PER_PART);
    const { events, damaged } = await readPart(db, gameId, steps, part);
    unreadable += damaged;
    for (const { group, sessions } of part) {
      const own = [...sessions].reverse().map(({ id, clock_shift }) => ({
        events: events.get(id) ?? [],
        shift: clock_shift ?? 0,
      }));
      for (const step of unseen) if (own.some((read) => hasReached(step, read.events))) unseen.delete(step);
      const reached: StepTimes = [];
      for (const read of own) advance(reached, steps, read.events, read.shift);
      addToGroup(groups, group, reached);
    }
  }
  const all = new Map(grouped.map(({ session }) => [session.id, session]));
  const withoutEvents = [...all.values()].filter((session) => !hasEvents(session)).length;
  return {
    groups,
    sessions: { total: all.size, withoutEvents, unreadable },
    testers: { total: countDistinct(testers), skipped },
    unseen: [...unseen],
  };
}

const hasReached = (step: FunnelStepSpec, events: readonly FunnelEvent[]) =>
  events.some((event) => reachesStep(step, event));

const hasEvents = ({ next_batch, events_pruned_at }: ScopedSession) =>
  next_batch > 0 && events_pruned_at === null;

/** The testers with the newest sessions first. */
function groupByTester(grouped: readonly GroupedSession[]): TesterSessions[] {
  const testers = groupBy(grouped, ({ group, session }) => JSON.stringify([group, session.tester]));
  return [...testers].map(([key, own]) => {
    const [group, tester] = JSON.parse(key) as [string | null, string];
    return { group, tester, sessions: own.map(({ session }) => session) };
  });
}

/** Selects testers until their events reach the limit. */
function selectTesters(testers: readonly TesterSessions[], steps: readonly FunnelStepSpec[]) {
  let [events, sessions] = [0, 0];
  const end = testers.findIndex((tester, at) => {
    const read = tester.sessions.filter((session) => mayReach(session, steps));
    events += read.reduce((sum, session) => sum + countEvents(session), 0);
    sessions += read.length;
    return at > 0 && (events > MAX_READ_EVENTS || sessions > MAX_READ_SESSIONS);
  });
  const selected = end === -1 ? testers : testers.slice(0, end);
  return { selected, skipped: countDistinct(testers.slice(selected.length)) };
}

/** The number of testers. One who is in several groups counts once. */
const countDistinct = (testers: readonly TesterSessions[]) =>
  new Set(testers.map(({ tester }) => tester)).size;

/** Whether a session may have an event of any step. Rooms are not counted by session, so they are always looked for. */
function mayReach(session: ScopedSession, steps: readonly FunnelStepSpec[]): boolean {
  if (!hasEvents(session)) return false;
  const counts = JSON.parse(session.event_counts) as Record<string, number>;
  return steps.some(
    ({ kind, name }) => kind === "room" || Object.hasOwn(counts, name) || Object.hasOwn(counts, OTHER_EVENTS),
  );
}

/** The events of these testers that reach any step, by session. */
async function readPart(
  db: Db,
  gameId: string,
  steps: readonly FunnelStepSpec[],
  part: readonly TesterSessions[],
) {
  const wanted = part.flatMap(({ sessions }) => sessions).filter((session) => mayReach(session, steps));
  const events = new Map<string, FunnelEvent[]>();
  let damaged = 0;
  for await (const read of streamSessionEvents(db, gameId, wanted)) {
    if (read.events === null) damaged += 1;
    else
      events.set(
        read.session.id,
        readFunnelEvents(read.events).filter((event) => steps.some((step) => reachesStep(step, event))),
      );
  }
  return { events, damaged };
}
