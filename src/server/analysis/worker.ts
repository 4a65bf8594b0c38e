/** Analyses sessions in the background, one at a time, as they end; what a dead process left is taken up again. */
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

/** After so many failures a session is given up as failed. */
const MAX_ATTEMPTS = 5;
/** The longest sleep between looks at the queue, ms. */
const MAX_SLEEP_MS = 30_000;

export interface AnalysisWorker {
  /** Looks at the queue soon. */
  wake(): void;
  /** Resolves once no session is due. */
  drain(): Promise<void>;
  /** Finishes the session at hand and stops. */
  stop(): Promise<void>;
}

/** The worker of a service; it looks at the queue once it is woken. */
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

/** Analyses the session longest due. Answers false when none is. */
async function analyzeNext(service: Service): Promise<boolean> {
  const hold = await claim(service);
  if (!hold) return false;
  const { id, analysis_attempts } = hold.session;
  try {
    if (analysis_attempts > MAX_ATTEMPTS) throw new Error("No process has survived analysing it");
    await service.observer.analysis(id, () => analyzeSession(service, hold));
  } catch (error) {
    if (error instanceof ModelStopped) {
      await releaseLease(service, hold);
      return true;
    }
    service.report(`analysing session ${id}`, error);
    await retryLater(service, hold);
  }
  return true;
}

async function claim(service: Service): Promise<Lease | null> {
  const now = service.now();
  const claimed = await service.store.write(async (db) => {
    const due = await lockNextDue(db, now);
    if (!due) return null;
    const held = {
      status: "processing" as const,
      analysis_lease: now + LEASE_MS,
      analysis_attempts: due.analysis_attempts + 1,
    };
    await updateSession(db, due, held);
    return { ...due, ...held };
  });
  return claimed && new Lease(service, claimed);
}

async function analyzeSession(service: Service, hold: Lease): Promise<void> {
  const { session } = hold;
  const events = await readEvents(service, session);
  const snapshot =
    session.snapshot === null ? null : (JSON.parse(session.snapshot) as RecordedSession["snapshot"]);
  const { wallMs, activeMs } = computeDurations(events, snapshot);
  const config = await findEventConfig(service.store.readDb, session.game_id);
  const meanings = resolveMeanings(config);
  const feedback = await readFeedbackAnswers(service, session);
  const play = { events, snapshot, meanings, ended: true, feedback, transcript: session.transcript };
  const times = measureRoomTimes(play);
  const long = [...times].filter(([, { ms }]) => ms >= MIN_SLOW_MS).map(([room]) => room);
  const usualMs = await readMedianRoomTimes(service.store.readDb, session.game_id, session.id, long);
  const found = analyze({ ...play, medianMsByRoom: usualMs });
  const findings = await addLlmFindings(service, session, play, found, config);
  const rows = insightRows(session, findings, service.now());
  await updateAndRelease(service, hold, async (db) => {
    await replaceInsights(db, session.game_id, session.id, rows);
    await replaceRoomTimes(db, session, new Map([...times].map(([room, { ms }]) => [room, ms])));
    return {
      status: "analyzed",
      wall_ms: wallMs,
      active_ms: activeMs,
      analysis_due: null,
      analysis_attempts: 0,
    };
  });
}

/** What the tester answered in the session's forms, in the order it came. */
async function readFeedbackAnswers(service: Service, session: SessionRow): Promise<FeedbackAnswer[]> {
  const submissions = await findSessionFeedback(service.store.readDb, session.game_id, session.id);
  return submissions.flatMap(({ responses }) => responses);
}

/**
 * Lets go of a claimed session with what its analysis changes, in one transaction; with nothing where events or feedback
 * have come since, for they queued it anew. Where the session is no longer this claim's, nothing is written at all.
 */
async function updateAndRelease(
  service: Service,
  hold: Lease,
  change: (db: Db) => Promise<Partial<SessionRow>>,
): Promise<void> {
  await hold.stopRenewing();
  const claimed = hold.session;
  await service.store.write(async (db) => {
    const current = await lockGameSession(db, claimed.game_id, "id", claimed.id);
    if (!current || !ownsLease(current, claimed)) return;
    // Events and feedback that came meanwhile have made it pending again.
    const overtaken = current.next_batch !== claimed.next_batch || current.status === "pending";
    const changed = overtaken ? { status: "pending" as const } : await change(db);
    await updateSession(db, current, { ...changed, analysis_lease: null });
  });
}

/**
 * Whether a session is still held by this claim. One that outlived its lease, or was let go by a process that started,
 * may be in another's hands or done: each claim has an attempt of its own, which only what queues anew sets back.
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

/** The same finding of the same session keeps its id when the analysis runs again; no session has a tag twice. */
function insightId(sessionId: string, { type, tag }: SessionFinding): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([sessionId, type, tag]))
    .digest("hex");
  return `ins_${digest.slice(0, 24)}`;
}

/** Puts a session back as it was before it was claimed: the service stops, and that is no failed attempt. */
async function releaseLease(service: Service, hold: Lease): Promise<void> {
  const analysis_attempts = hold.session.analysis_attempts - 1;
  await updateAndRelease(service, hold, async () => ({ status: "pending", analysis_attempts }));
}

async function retryLater(service: Service, hold: Lease): Promise<void> {
  const { analysis_attempts } = hold.session;
  const failed = analysis_attempts >= MAX_ATTEMPTS;
  const backoff = backoffMs(analysis_attempts, { firstMs: 2000 });
  await updateAndRelease(service, hold, async () => ({
    status: failed ? "failed" : "pending",
    analysis_due: failed ? null : service.now() + backoff,
  }));
}
