/** Analyses sessions in the background, one at a time, as they end; what a dead process left is taken up again. */
import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { backoffMs } from "../../shared/retry.ts";
import type { Db, InsightRow, SessionRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { replaceInsights } from "../insights/queries.ts";
import { feedbackOf } from "../sessions/detail-queries.ts";
import { playDurations } from "../sessions/durations.ts";
import { lockInGame, updateSession } from "../sessions/queries.ts";
import { storedEvents } from "../telemetry/batch-queries.ts";
import { eventConfigOf } from "../telemetry/event-config-queries.ts";
import { analyze } from "./analyst.ts";
import { Hold, LEASE_MS } from "./lease.ts";
import { withSecondOpinion } from "./llm-enrichment.ts";
import { meaningsOf } from "./meanings.ts";
import type { FeedbackAnswer, Finding, PlayEvent, SessionPlay } from "./play.ts";
import { ModelStopped } from "./provider/faults.ts";
import { nextDueTime, takeDue } from "./queue-queries.ts";
import { replaceRoomTimes, usualTimes } from "./room-time-queries.ts";
import { roomTimes } from "./rules/room-times.ts";
import { SLOW_LEAST_MS } from "./rules/stuck-point.ts";

/** After so many failures a session is given up as failed. */
const MAX_ATTEMPTS = 5;
/** The longest sleep between looks at the queue, ms. */
const MAX_SLEEP_MS = 30_000;

export interface AnalysisWorker {
  /** Looks at the queue soon. */
  wake(): void;
  /** Resolves once no session is due. */
  settle(): Promise<void>;
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
    const due = await nextDueTime(service.store.read, service.now());
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
    async settle() {
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
      await putBack(service, hold);
      return true;
    }
    service.report(`analysing session ${id}`, error);
    await giveBack(service, hold);
  }
  return true;
}

async function claim(service: Service): Promise<Hold | null> {
  const now = service.now();
  const claimed = await service.store.change(async (db) => {
    const due = await takeDue(db, now);
    if (!due) return null;
    const held = {
      status: "processing" as const,
      analysis_lease: now + LEASE_MS,
      analysis_attempts: due.analysis_attempts + 1,
    };
    await updateSession(db, due, held);
    return { ...due, ...held };
  });
  return claimed && new Hold(service, claimed);
}

async function analyzeSession(service: Service, hold: Hold): Promise<void> {
  const { session } = hold;
  const events = await readPlay(service, session);
  const snapshot =
    session.snapshot === null ? null : (JSON.parse(session.snapshot) as SessionPlay["snapshot"]);
  const { wallMs, activeMs } = playDurations(events, snapshot);
  const config = await eventConfigOf(service.store.read, session.game_id);
  const meanings = meaningsOf(config);
  const feedback = await answersOf(service, session);
  const play = { events, snapshot, meanings, ended: true, feedback, transcript: session.transcript };
  const times = roomTimes(play);
  const long = [...times].filter(([, { ms }]) => ms >= SLOW_LEAST_MS).map(([room]) => room);
  const usualMs = await usualTimes(service.store.read, session.game_id, session.id, long);
  const found = analyze({ ...play, usualMs });
  const findings = await withSecondOpinion(service, session, play, found, config);
  const rows = insightRows(session, findings, service.now());
  await release(service, hold, async (db) => {
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
async function answersOf(service: Service, session: SessionRow): Promise<FeedbackAnswer[]> {
  const submissions = await feedbackOf(service.store.read, session.game_id, session.id);
  return submissions.flatMap(({ responses }) => responses);
}

/**
 * Lets go of a claimed session with what its analysis changes, in one transaction; with nothing where events or feedback
 * have come since, for they queued it anew. Where the session is no longer this claim's, nothing is written at all.
 */
async function release(
  service: Service,
  hold: Hold,
  change: (db: Db) => Promise<Partial<SessionRow>>,
): Promise<void> {
  await hold.end();
  const claimed = hold.session;
  await service.store.change(async (db) => {
    const current = await lockInGame(db, claimed.game_id, "id", claimed.id);
    if (!current || !isHeld(current, claimed)) return;
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
function isHeld(current: SessionRow, claimed: SessionRow): boolean {
  return (
    current.analysis_lease === claimed.analysis_lease &&
    (current.status === "pending" || current.analysis_attempts === claimed.analysis_attempts)
  );
}

async function readPlay(service: Service, session: SessionRow): Promise<PlayEvent[]> {
  const events: PlayEvent[] = [];
  for await (const batch of storedEvents(service.store.read, session.game_id, session.id)) {
    for (const event of batch) events.push({ ...event, data: event.data ?? null });
    await nextTurn();
  }
  return events.sort((a, b) => a.timestamp - b.timestamp);
}

function insightRows(session: SessionRow, findings: readonly Finding[], now: number): InsightRow[] {
  const { game_id, account_id, build, environment, tester } = session;
  const common = { game_id, account_id, session_id: session.id, build, environment, tester, created_at: now };
  return findings.map((finding) => ({ ...common, ...finding, id: insightId(session.id, finding) }));
}

/** The same finding of the same session keeps its id when the analysis runs again; no session has a tag twice. */
function insightId(sessionId: string, { type, tag }: Finding): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([sessionId, type, tag]))
    .digest("hex");
  return `ins_${digest.slice(0, 24)}`;
}

/** Puts a session back as it was before it was claimed: the service stops, and that is no failed attempt. */
async function putBack(service: Service, hold: Hold): Promise<void> {
  const analysis_attempts = hold.session.analysis_attempts - 1;
  await release(service, hold, async () => ({ status: "pending", analysis_attempts }));
}

async function giveBack(service: Service, hold: Hold): Promise<void> {
  const { analysis_attempts } = hold.session;
  const failed = analysis_attempts >= MAX_ATTEMPTS;
  const backoff = backoffMs(analysis_attempts, { firstMs: 2000 });
  await release(service, hold, async () => ({
    status: failed ? "failed" : "pending",
    analysis_due: failed ? null : service.now() + backoff,
  }));
}
