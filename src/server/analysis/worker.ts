/**
 * Analyzes ended sessions in the background, one at a time. Sessions that a dead process left behind are analyzed
 * again.
 */
import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { backoffMs } from "../../shared/retry.ts";
import type { Db, InsightRow, SessionRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { replaceInsights } from "../insights/queries.ts";
import { computeDurations } from "../sessions/durations.ts";
import { findSessionFeedback } from "../sessions/feedback-queries.ts";
import { lockGameSession, updateSession } from "../sessions/queries.ts";
import { streamStoredEvents } from "../telemetry/batch-queries.ts";
import { findEventConfig } from "../telemetry/event-config-queries.ts";
import { analyze } from "./analyst.ts";
import { LEASE_MS, Lease } from "./lease.ts";
import { addLlmFindings } from "./llm-enrichment.ts";
import { resolveMeanings } from "./meanings.ts";
import { ModelStopped } from "./provider/faults.ts";
import { lockNextDue, nextDueTime } from "./queue-queries.ts";
import type { FeedbackAnswer, RecordedSession, SessionEvent, SessionFinding } from "./recorded-session.ts";
import { readMedianRoomTimes, replaceRoomTimes } from "./room-time-queries.ts";
import { measureRoomTimes } from "./rules/room-times.ts";
import { MIN_SLOW_MS } from "./rules/stuck-point.ts";

/** A session gets the status `failed` after this many failed attempts. */
const MAX_ATTEMPTS = 5;
/** Maximum time between checks of the queue, in ms. */
const MAX_SLEEP_MS = 30_000;

export interface AnalysisWorker {
  /** Checks the queue soon. */
  wake(): void;
  /** Resolves once no session is due. */
  drain(): Promise<void>;
  /** Finishes the current session and stops. */
  stop(): Promise<void>;
}

/** Creates the analysis worker of a service. It first checks the queue when it is woken. */
export function startAnalysis(service: Service): AnalysisWorker {
  let running: Promise<void> | null = null;
  let again = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const drain = async () => {
    do {
      again = false;
      while (!stopped && (await analyzeNext(service))) await nextTurn();
    } while (again && !stopped);
  };
  const untilDue = async () => {
    const due = await nextDueTime(service.store.readDb, service.now());
    return due === null ? MAX_SLEEP_MS : Math.min(MAX_SLEEP_MS, Math.max(1, due - service.now()));
  };
  const sleep = (ms: number) => {
    if (stopped) return;
    timer = setTimeout(wake, ms);
    timer.unref();
  };
  const wake = () => {
    clearTimeout(timer);
    again = true;
    if (stopped || running) return;
    running = drain()
      .then(untilDue)
      .catch((error: unknown) => {
        service.report("the analysis queue", error);
        return MAX_SLEEP_MS;
      })
      .then(sleep)
      .finally(() => {
        running = null;
        if (again) wake();
      });
  };
  return {
    wake,
    async drain() {
      wake();
      while (running) await running;
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** Analyzes the session that has been due longest. Returns false if none is due. */
async function analyzeNext(service: Service): Promise<boolean> {
  const lease = await claimNext(service);
  if (!lease) return false;
  const { id, analysis_attempts } = lease.session;
  try {
    if (analysis_attempts > MAX_ATTEMPTS)
      throw new Error("Every attempt to analyze this session ended with its process");
    await service.observer.analysis(id, () => analyzeSession(service, lease));
  } catch (error) {
    if (error instanceof ModelStopped) {
      await releaseLease(service, lease);
      return true;
    }
    service.report(`analyzing session ${id}`, error);
    await retryLater(service, lease);
  }
  return true;
}

async function claimNext(service: Service): Promise<Lease | null> {
  const now = service.now();
  const claimed = await service.store.write(async (db) => {
    const due = await lockNextDue(db, now);
    if (!due) return null;
    const leaseFields = {
      status: "processing" as const,
      analysis_lease: now + LEASE_MS,
      analysis_attempts: due.analysis_attempts + 1,
    };
    await updateSession(db, due, leaseFields);
    return { ...due, ...leaseFields };
  });
  return claimed && new Lease(service, claimed);
}

async function analyzeSession(service: Service, lease: Lease): Promise<void> {
  const { session } = lease;
  const events = await readEvents(service, session);
  const snapshot =
    session.snapshot === null ? null : (JSON.parse(session.snapshot) as RecordedSession["snapshot"]);
  const { wallMs, activeMs } = computeDurations(events, snapshot);
  const config = await findEventConfig(service.store.readDb, session.game_id);
  const meanings = resolveMeanings(config);
  const feedback = await readFeedbackAnswers(service, session);
  const recorded = { events, snapshot, meanings, ended: true, feedback, transcript: session.transcript };
  const times = measureRoomTimes(recorded);
  const slowRooms = [...times].filter(([, { ms }]) => ms >= MIN_SLOW_MS).map(([room]) => room);
  const medianMsByRoom = await readMedianRoomTimes(
    service.store.readDb,
    session.game_id,
    session.id,
    slowRooms,
  );
  const ruleFindings = analyze({ ...recorded, medianMsByRoom });
  const findings = await addLlmFindings(service, session, recorded, ruleFindings, config);
  const rows = insightRows(session, findings, service.now());
  await updateAndRelease(service, lease, async (db) => {
    await replaceInsights(db, session.game_id, session.id, rows);
    await replaceRoomTimes(db, session, times);
    return {
      status: "analyzed",
      wall_ms: wallMs,
      active_ms: activeMs,
      analysis_due: null,
      analysis_attempts: 0,
    };
  });
}

/** The tester's answers to feedback forms in the session, in the order they arrived. */
async function readFeedbackAnswers(service: Service, session: SessionRow): Promise<FeedbackAnswer[]> {
  const submissions = await findSessionFeedback(service.store.readDb, session.game_id, session.id);
  return submissions.flatMap(({ responses }) => responses);
}

/**
 * Applies the changes to a claimed session and releases its lease, in one transaction. If events or feedback arrived
 * since it was claimed, they have queued it again, and the changes are dropped. If the lease is no longer ours, nothing
 * is written.
 */
async function updateAndRelease(
  service: Service,
  lease: Lease,
  change: (db: Db) => Promise<Partial<SessionRow>>,
): Promise<void> {
  await lease.stopRenewing();
  const claimed = lease.session;
  await service.store.write(async (db) => {
    const current = await lockGameSession(db, claimed.game_id, "id", claimed.id);
    if (!current || !ownsLease(current, claimed)) return;
    // Events and feedback that arrived meanwhile have queued the session again.
    const isOutdated = current.next_batch !== claimed.next_batch || current.status === "pending";
    const changed = isOutdated ? { status: "pending" as const } : await change(db);
    await updateSession(db, current, { ...changed, analysis_lease: null });
  });
}

/**
 * Whether this claim still owns the lease of a session. After the lease expired, or a starting process released it,
 * another process may have claimed or finished the session. Each claim has its own attempt number, which is only reset
 * when new data queues the session again.
 */
function ownsLease(current: SessionRow, claimed: SessionRow): boolean {
  return (
    current.analysis_lease === claimed.analysis_lease &&
    (current.status === "pending" || current.analysis_attempts === claimed.analysis_attempts)
  );
}

async function readEvents(service: Service, session: SessionRow): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for await (const batch of streamStoredEvents(service.store.readDb, session.game_id, session.id)) {
    for (const event of batch) events.push({ ...event, data: event.data ?? null });
    await nextTurn();
  }
  return events.sort((a, b) => a.timestamp - b.timestamp);
}

function insightRows(session: SessionRow, findings: readonly SessionFinding[], now: number): InsightRow[] {
  const { game_id, account_id, build, environment, tester } = session;
  const common = { game_id, account_id, session_id: session.id, build, environment, tester, created_at: now };
  return findings.map((finding) => ({ ...common, ...finding, id: insightId(session.id, finding) }));
}

/** A stable id: the same finding keeps its id when a session is analyzed again. No session has a tag twice. */
function insightId(sessionId: string, { type, tag }: SessionFinding): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([sessionId, type, tag]))
    .digest("hex");
  return `ins_${digest.slice(0, 24)}`;
}

/** Returns a session to the queue because the service stops. This does not count as a failed attempt. */
async function releaseLease(service: Service, lease: Lease): Promise<void> {
  const analysis_attempts = lease.session.analysis_attempts - 1;
  await updateAndRelease(service, lease, async () => ({ status: "pending", analysis_attempts }));
}

async function retryLater(service: Service, lease: Lease): Promise<void> {
  const { analysis_attempts } = lease.session;
  const failed = analysis_attempts >= MAX_ATTEMPTS;
  const backoff = backoffMs(analysis_attempts, { firstMs: 2000 });
  await updateAndRelease(service, lease, async () => ({
    status: failed ? "failed" : "pending",
    analysis_due: failed ? null : service.now() + backoff,
  }));
}
