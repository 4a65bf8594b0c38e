/**
 * Writes the summaries of builds and testers in the background, once a build is quiet: by the chat model of its account, or by
 * rules. Each pass writes only a few, so that it costs little.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { UNKNOWN_BUILD } from "../../contract/fields.ts";
import { MINUTE_MS } from "../../shared/time-units.ts";
import { MODEL_TIMEOUT_MS } from "../analysis/model-analyst.ts";
import { getPauseReason, ModelStopped, pauseModel } from "../analysis/provider/faults.ts";
import { limitModel } from "../analysis/provider/limit-model.ts";
import { findChatModel } from "../analysis/provider/provider-queries.ts";
import { countReanalyses } from "../analysis/queue-queries.ts";
import {
  claimSummaries,
  findDueSummaries,
  MAX_WAIT_MS,
  RENEW_INTERVAL_MS,
  releaseSummaries,
} from "../analysis/summary-queue-queries.ts";
import { type BackgroundPass, createBackgroundPass } from "../db/background-pass.ts";
import type { SummaryQueueRow } from "../db/schema.ts";
import type { Service, Task } from "../db/service.ts";
import { findQuestions } from "../feedback/form-queries.ts";
import { writeSummaries } from "./summaries.ts";
import {
  countAnalyzedSessions,
  findGameState,
  findOutdatedSummaries,
  findOutdatedTesters,
  findSummaryTime,
  keepSummary,
  readSubjectFacts,
  type SubjectFacts,
  type SummaryScope,
  type SummarySubject,
  storeSummary,
} from "./summary-queries.ts";

/** Time between two passes, in ms. */
const PASS_INTERVAL_MS = 60_000;
/** Maximum number of summaries in a pass. The others follow in the next one. */
export const MAX_SUMMARIES = 20;
/** A build with fewer analyzed sessions gets no summary yet. */
export const MIN_BUILD_SESSIONS = 5;

export interface SummaryPass extends BackgroundPass {
  /** Writes all queued summaries, although their builds are not quiet yet. For data that is complete, such as the demo's. */
  writeAll(): Promise<void>;
}

/** Creates the background work. `drain` runs one pass. */
export function createSummaryPass(service: Service): SummaryPass {
  /** Returns whether there was anything to do. */
  const run = async (isStopped: () => boolean, dueUntil: number) => {
    let remaining = MAX_SUMMARIES;
    let hasWorked = false;
    for (const row of await findDueSummaries(service.store.readDb, dueUntil, MAX_SUMMARIES)) {
      if (isStopped() || remaining <= 0) break;
      const written = await writeQueued(service, row, remaining);
      hasWorked ||= written !== null;
      remaining -= written ?? 0;
    }
    if (isStopped() || remaining <= 0) return hasWorked;
    return (await rewriteOutdated(service, remaining)) || hasWorked;
  };
  const pass = createBackgroundPass(service, {
    name: "the summaries of builds and testers",
    pauseMs: PASS_INTERVAL_MS,
    run: async (isStopped) => void (await run(isStopped, service.now())),
  });
  return {
    ...pass,
    async writeAll() {
      while (await run(() => service.stopping.aborted, service.now() + MAX_WAIT_MS)) await nextTurn();
    },
  };
}

export const findOutdatedTestersTask: Task<
  { readonly row: SummaryQueueRow; readonly limit: number },
  string[]
> = {
  name: "find outdated testers",
  lane: "background",
  maxMs: MINUTE_MS,
  run: ({ store }, { row, limit }) => store.read((db) => findOutdatedTesters(db, row, limit)),
};

export const readSubjectFactsTask: Task<
  { readonly scope: SummaryScope; readonly subject: SummarySubject },
  SubjectFacts | null
> = {
  name: "read the facts of a summary",
  lane: "background",
  maxMs: MINUTE_MS,
  run: ({ store }, { scope, subject }) => store.read((db) => readSubjectFacts(db, scope, subject)),
};

/**
 * Writes at most `limit` summaries of a queued build and its testers. Returns how many it has written; null if another server
 * does, or if there is only that of the build, whose last one is too recent.
 */
async function writeQueued(service: Service, queued: SummaryQueueRow, limit: number): Promise<number | null> {
  const { store } = service;
  const now = service.now();
  const row = await store.write((db) => claimSummaries(db, queued, now));
  if (!row) return null;
  const renewableAt = row.is_written === 0 ? await findRenewalTime(service, row, now) : null;
  const isBuildDue = row.is_written === 0 && renewableAt === null && (await hasEnoughSessions(service, row));
  const builds = isBuildDue ? [{ kind: "build" as const, name: row.build }] : [];
  const testers = await service.work.run(findOutdatedTestersTask, { row, limit: limit - builds.length + 1 });
  const subjects = [...builds, ...testers.map((name) => ({ kind: "tester" as const, name }))];
  const taken = subjects.slice(0, limit);
  const outdated = await writeEach(service, row, taken, now);
  if (outdated === null) return limit;
  const isComplete = taken.length === subjects.length && outdated.length === 0;
  const isWritten = renewableAt === null && !outdated.some(({ kind }) => kind === "build");
  const later = renewableAt === null ? null : { due_at: renewableAt, is_written: 0, queued_at: now };
  const rest = { due_at: now, is_written: isWritten ? 1 : 0, queued_at: row.queued_at };
  await store.write((db) => releaseSummaries(db, row, isComplete ? later : rest, now));
  return taken.length === 0 && renewableAt !== null ? null : taken.length;
}

async function hasEnoughSessions({ store }: Service, row: SummaryQueueRow): Promise<boolean> {
  if (row.build === UNKNOWN_BUILD) return false;
  return (await countAnalyzedSessions(store.readDb, row, MIN_BUILD_SESSIONS)) >= MIN_BUILD_SESSIONS;
}

/** Writes summaries, and returns those that were outdated; null if another server continues with them. */
async function writeEach(
  service: Service,
  row: SummaryQueueRow,
  subjects: readonly SummarySubject[],
  now: number,
): Promise<SummarySubject[] | null> {
  const outdated: SummarySubject[] = [];
  for (const subject of subjects) {
    const isLeaseOver = service.now() >= row.due_at - MINUTE_MS;
    const scope = { gameId: row.game_id, environment: row.environment };
    const outcome = isLeaseOver ? "stopped" : await writeSummary(service, scope, subject, now);
    if (outcome === "stopped") return null;
    if (outcome === "outdated") outdated.push(subject);
  }
  return outdated;
}

/**
 * Writes at most `limit` outdated summaries again, once no analysis is to be repeated: they change with these. Servers that do
 * the same at once write the same. A model is only asked if the facts have changed. Returns whether there were any.
 */
async function rewriteOutdated(service: Service, limit: number): Promise<boolean> {
  const { store } = service;
  if ((await countReanalyses(store.readDb, 1)) > 0) return false;
  const outdated = await findOutdatedSummaries(store.readDb, limit);
  for (const summary of outdated) {
    const asksModel = summary.rulesVersion === 0;
    const outcome = await writeSummary(service, summary, summary, service.now(), asksModel);
    if (outcome === "stopped") break;
    if (outcome === "empty") await store.write((db) => keepSummary(db, summary));
  }
  return outdated.length > 0;
}

/** When the summary of a build may be written again, unix ms; null if it may now. */
async function findRenewalTime(service: Service, row: SummaryQueueRow, now: number): Promise<number | null> {
  const writtenAt = await findSummaryTime(service.store.readDb, row);
  const isRecent = writtenAt !== null && writtenAt <= now && now < writtenAt + RENEW_INTERVAL_MS;
  return isRecent ? writtenAt + RENEW_INTERVAL_MS : null;
}

/**
 * Writes a summary. It is `empty` if it has no sessions, `outdated` and not stored if something of the game was erased in the meantime, which must not come
 * back in it, and `stopped` if the service stops.
 */
async function writeSummary(
  service: Service,
  { gameId, environment }: SummaryScope,
  { kind, name }: SummarySubject,
  now: number,
  asksModel = true,
): Promise<"written" | "empty" | "outdated" | "stopped"> {
  const { store } = service;
  const scope = { gameId, environment };
  const subject = { kind, name };
  const before = await findGameState(store.readDb, gameId);
  if (!before) return "empty";
  const facts = await service.work.run(readSubjectFactsTask, { scope, subject });
  if (!facts) return "empty";
  const { account_id } = before;
  const found =
    !asksModel || getPauseReason(service, account_id) ? null : await findChatModel(store.readDb, account_id);
  const model = found && {
    ...limitModel(service, found),
    timeout_ms: Math.min(found.timeout_ms, MODEL_TIMEOUT_MS),
  };
  try {
    const questions = await findQuestions(store.readDb, gameId);
    const [summary] = await writeSummaries(model, [facts], questions, service.stopping);
    if (!summary) return "empty";
    if (summary.degraded !== null) pauseModel(service, account_id, summary.degraded);
    return await store.write(async (db) => {
      const after = await findGameState(db, gameId);
      if (after?.deletions !== before.deletions) return "outdated";
      await storeSummary(db, scope, summary, now);
      return "written";
    });
  } catch (error) {
    // The lease expires, and the next server continues.
    if (error instanceof ModelStopped) return "stopped";
    throw error;
  }
}
