/** Claims the next session of a queue, analyzes it, and releases it with the results or for another attempt. */
import { findsSameFacts } from "../../scorecard/analysis-versions.ts";
import { backoffMs } from "../../shared/retry.ts";
import { DamagedData } from "../core/stored-data.ts";
import { isStopping, TaskStopped } from "../core/task-stopped.ts";
import { getErrorCode, UNAVAILABLE_CODE } from "../db/errors.ts";
import type { Db, SessionRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import {
  type GameEvent,
  sessionAnalyzed,
  sessionFailed,
  type WebhookEvent,
} from "../notifications/events.ts";
import { queueEvent } from "../notifications/outbox.ts";
import { MAX_ATTEMPTS } from "../sessions/analysis-queue.ts";
import { findSession, lockGameSession, updateSession } from "../sessions/session-queries.ts";
import { packSession } from "../telemetry/pack-session.ts";
import { analyzeSession, removeResults } from "./analyze-session.ts";
import { Lease } from "./lease.ts";
import { ModelStopped } from "./provider/faults.ts";
import { MODEL_BUDGETS } from "./provider/limit-model.ts";
import { LEASE_MS, lockNext, postponeEnrichments, type QueueName } from "./queue-queries.ts";
import { outdateTesterSummary, queueSummaries } from "./summary-queue-queries.ts";
import { ANALYSIS_VERSION } from "./version.ts";

/** Analyzes the next session of a queue, also one that is to be quiet for at most `ahead` ms. Returns false if there is none. */
export async function analyzeNext(service: Service, queue: QueueName, ahead = 0): Promise<boolean> {
  const lease = await claimNext(service, queue, ahead);
  if (lease === null) return false;
  if (lease === "postponed") return true;
  const { id, analysis_attempts } = lease.session;
  try {
    if (analysis_attempts > MAX_ATTEMPTS)
      throw new Error("Every attempt to analyze this session ended with its process");
    await service.observer.analysis(id, () => analyzeClaimed(service, lease));
  } catch (error) {
    if (error instanceof ModelStopped || isStopping(error)) {
      await releaseLease(service, lease);
      return true;
    }
    if (!(await isStillClaimed(service, lease))) return true;
    service.report(`analyzing session ${id}`, error);
    if (getErrorCode(error) === UNAVAILABLE_CODE) await releaseLease(service, lease, UNAVAILABLE_MS);
    else if (error instanceof TaskStopped) await fail(service, lease, `${error.message}.`);
    else if (error instanceof DamagedData)
      await fail(service, lease, `The stored data is damaged. ${error.message}.`);
    else await retryLater(service, lease);
  }
  return true;
}

/** Whether a claimed session is not due, so that its finished analysis is only repeated. Its status does not change. */
const isRepeat = ({ analysis_due }: SessionRow) => analysis_due === null;

/** Whether an AI model is asked about a session, whose analysis is finished. */
const isEnrichment = ({ queue }: Lease) => queue === "enrichment";

/** What is stored once the model was asked, also if new data has outdated its answer: it is not asked again about the session. */
const enriched = { enrichment_due: null, enriched_version: ANALYSIS_VERSION };

async function claimNext(
  service: Service,
  queue: QueueName,
  ahead: number,
): Promise<Lease | "postponed" | null> {
  const now = service.now();
  const claimed = await service.store.write(async (db) => {
    const next = await lockNext(db, queue, now, now + ahead);
    if (!next) return null;
    if (queue === "enrichment") {
      const until = await service.budgets.findSpentUntil(db, next.account_id, MODEL_BUDGETS);
      // Many sessions may wait, so all of them are postponed at once.
      if (until !== null) {
        await postponeEnrichments(db, next.account_id, until);
        return "postponed";
      }
    }
    const leaseFields = {
      analysis_lease: now + LEASE_MS,
      // Attempts of an earlier version do not count.
      analysis_attempts: queue === "outdated" ? 1 : next.analysis_attempts + 1,
      ...(isRepeat(next)
        ? { reanalysis_due: next.reanalysis_due ?? now }
        : { status: "processing" as const }),
    };
    await updateSession(db, next, leaseFields, null);
    return { ...next, ...leaseFields };
  });
  return typeof claimed === "string" ? claimed : claimed && new Lease(service, claimed, queue);
}

async function analyzeClaimed(service: Service, lease: Lease): Promise<void> {
  const { session } = lease;
  const enriches = isEnrichment(lease);
  const repeats = isRepeat(session);
  // Without its events, the rules would find less than they once did.
  const results =
    session.events_pruned_at === null ? await analyzeSession(service, session, { repeats, enriches }) : null;
  const reanalysis = session.analysis_version !== null;
  // Receivers learn of new data and of what a model finds in it, not of new rules, which find something else in many old sessions.
  const isNews =
    results !== null && (enriches ? results.hasChanged : !repeats && (results.hasChanged || !reanalysis));
  await updateAndRelease(
    service,
    lease,
    async (db, current) => {
      const stored = await results?.store(db);
      // New titles alone, after an upgrade, are no reason to summarize every old build again.
      const hasNewFacts =
        !repeats ||
        results?.hasOtherLength ||
        (results?.hasChanged && (enriches || !findsSameFacts(session.analysis_version, ANALYSIS_VERSION)));
      if (hasNewFacts) await queueSummaries(db, session, service.now());
      if (hasNewFacts && repeats) await outdateTesterSummary(db, session);
      return {
        ...stored,
        ...(enriches ? enriched : {}),
        status: "analyzed",
        analysis_due: null,
        analysis_attempts: 0,
        analysis_runs: current.analysis_runs + (repeats ? 0 : current.ended),
        // Requests that arrived since the session was claimed are still open.
        reanalysis_due: current.reanalysis_due === session.reanalysis_due ? null : current.reanalysis_due,
      };
    },
    isNews
      ? { type: "session.analyzed", create: () => sessionAnalyzed(session, results.insights, reanalysis) }
      : null,
  );
  if (results !== null)
    await packSession(service, session).catch((error: unknown) =>
      service.report(`packing the events of session ${session.id}`, error),
    );
}

/**
 * Applies the changes to a claimed session and releases its lease, in one transaction. If events or feedback arrived
 * since it was claimed, they have queued it again, and the changes are dropped. If the lease is no longer ours, nothing
 * is written. With the changes, the event is added to the outbox of webhooks.
 */
async function updateAndRelease(
  service: Service,
  lease: Lease,
  change: (db: Db, current: SessionRow) => Promise<Partial<SessionRow>>,
  event: { readonly type: WebhookEvent; create(): GameEvent } | null = null,
): Promise<void> {
  await lease.stopRenewing();
  const claimed = lease.session;
  const isQueued = await service.store.write(async (db) => {
    const current = await lockGameSession(db, claimed.game_id, "id", claimed.id);
    if (!current || !ownsLease(current, claimed)) return false;
    // Events and feedback that arrived meanwhile have queued the session again.
    const isOutdated = current.next_batch !== claimed.next_batch || current.status !== claimed.status;
    const changed = isOutdated
      ? { ...countOutdated(current), ...(isEnrichment(lease) ? enriched : {}) }
      : await change(db, current);
    await updateSession(db, current, { ...changed, analysis_lease: null }, service.now());
    return (
      !isOutdated && event !== null && (await queueEvent(db, service, current, event.type, event.create))
    );
  });
  if (isQueued) service.wakeDeliveries();
}

/** An attempt that new data has outdated has not failed, but it counts as a run. */
const countOutdated = ({ analysis_attempts, analysis_runs, ended }: SessionRow) => ({
  analysis_attempts: Math.max(0, analysis_attempts - 1),
  analysis_runs: analysis_runs + ended,
});

/**
 * Whether this claim still owns the lease of a session. After the lease expired, or a starting process released it,
 * another process may have claimed or finished the session. Each claim has its own attempt number.
 */
function ownsLease(current: SessionRow, claimed: SessionRow): boolean {
  return (
    current.analysis_lease === claimed.analysis_lease &&
    (current.status === "pending" || current.analysis_attempts === claimed.analysis_attempts)
  );
}

/**
 * Whether a claimed session is still ours. If it was deleted, or its data moved, while it was read, the error is only a
 * consequence of that.
 */
async function isStillClaimed({ store }: Service, { session }: Lease): Promise<boolean> {
  try {
    const current = await findSession(store.readDb, session.account_id, session.id);
    return current !== undefined && ownsLease(current, session);
  } catch {
    // The database is unavailable, which is worth reporting.
    return true;
  }
}

/** How long a session waits if no worker can analyze it, ms. */
const UNAVAILABLE_MS = 10_000;

/** Returns a session to its queue because the service stops, or temporarily. This does not count as a failed attempt. */
async function releaseLease(service: Service, lease: Lease, waitMs = 0): Promise<void> {
  const analysis_attempts = lease.session.analysis_attempts - 1;
  await updateAndRelease(service, lease, async () => ({
    ...(isRepeat(lease.session) ? {} : { status: "pending" as const }),
    ...(waitMs === 0 ? {} : postponeTo(lease, service.now() + waitMs)),
    analysis_attempts,
  }));
}

/** The columns that make a session due at a time, in the queue from which it was taken. */
const postponeTo = (lease: Lease, at: number) =>
  isRepeat(lease.session)
    ? { reanalysis_due: at, ...(isEnrichment(lease) ? { enrichment_due: at } : {}) }
    : { status: "pending" as const, analysis_due: at };

/** Marks a session as failed until it gets new data. Damaged data would fail again, so it is not tried again. */
async function fail(service: Service, lease: Lease, reason: string): Promise<void> {
  const { session } = lease;
  await updateAndRelease(
    service,
    lease,
    async (db) => ({
      // What older rules found must not be compared with what the current ones find.
      ...((session.analysis_version ?? ANALYSIS_VERSION) < ANALYSIS_VERSION
        ? await removeResults(db, session, service.now())
        : {}),
      status: "failed",
      analysis_due: null,
      reanalysis_due: null,
      enrichment_due: null,
      analysis_error: reason,
    }),
    { type: "session.failed", create: () => sessionFailed(session, reason) },
  );
}

async function retryLater(service: Service, lease: Lease): Promise<void> {
  const { session } = lease;
  const now = service.now();
  if (session.analysis_attempts >= MAX_ATTEMPTS) {
    await fail(
      service,
      lease,
      `The analysis failed ${MAX_ATTEMPTS} times. The log of the service has the cause.`,
    );
    return;
  }
  const at = now + backoffMs(session.analysis_attempts, { firstMs: 2000 });
  await updateAndRelease(service, lease, async () => postponeTo(lease, at));
}
