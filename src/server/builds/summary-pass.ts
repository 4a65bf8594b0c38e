/**
 * Writes the summaries of builds and testers in the background, once a build is quiet: by the chat model of its account, or by
 * rules. Each pass writes only a few, so that it costs little.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { UNKNOWN_BUILD } from "../../contract/fields.ts";
import { getPauseReason, ModelStopped, pauseModel } from "../analysis/provider/faults.ts";
import { findChatModel } from "../analysis/provider/provider-queries.ts";
import {
  claimSummaries,
  findDueSummaries,
  MAX_WAIT_MS,
  RENEW_INTERVAL_MS,
  releaseSummaries,
} from "../analysis/summary-queue-queries.ts";
import { type BackgroundPass, createBackgroundPass } from "../db/background-pass.ts";
import type { SummaryQueueRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { findQuestions } from "../feedback/form-queries.ts";
import { writeSummaries } from "./summaries.ts";
import {
  countAnalyzedSessions,
  findGameState,
  findOutdatedTesters,
  findSummaryTime,
  readSubjectFacts,
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
    return hasWorked;
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

/**
 * Writes at most `limit` summaries of a queued build. Returns how many it has written; null if another server does, or if the
 * last one is too recent.
 */
async function writeQueued(service: Service, queued: SummaryQueueRow, limit: number): Promise<number | null> {
  const { store } = service;
  const now = service.now();
  const row = await store.write((db) => claimSummaries(db, queued, now));
  if (!row) return null;
  const subjects: SummarySubject[] = [];
  if (row.is_written === 0) {
    const writtenAt = await findSummaryTime(store.readDb, row);
    if (writtenAt !== null && writtenAt <= now && now < writtenAt + RENEW_INTERVAL_MS) {
      const left = { due_at: writtenAt + RENEW_INTERVAL_MS, is_written: 0 };
      await store.write((db) => releaseSummaries(db, row, left));
      return null;
    }
    const sessions = await countAnalyzedSessions(store.readDb, row, MIN_BUILD_SESSIONS);
    if (row.build !== UNKNOWN_BUILD && sessions >= MIN_BUILD_SESSIONS)
      subjects.push({ kind: "build", name: row.build });
  }
  const testers = await findOutdatedTesters(store.readDb, row, limit - subjects.length + 1);
  subjects.push(...testers.map((name) => ({ kind: "tester" as const, name })));
  const isDone = subjects.length <= limit;
  for (const next of subjects.slice(0, limit)) {
    if (!(await writeSummary(service, row, next, now))) return limit;
  }
  await store.write((db) => releaseSummaries(db, row, isDone ? null : { due_at: now, is_written: 1 }));
  return Math.min(limit, subjects.length);
}

/**
 * Writes a summary, unless something of the game was erased in the meantime, which must not come back in it. Returns false if
 * the service stops.
 */
async function writeSummary(
  service: Service,
  { game_id: gameId, environment }: SummaryQueueRow,
  subject: SummarySubject,
  now: number,
): Promise<boolean> {
  const { store } = service;
  const scope = { gameId, environment };
  const before = await findGameState(store.readDb, gameId);
  if (!before) return true;
  const facts = await readSubjectFacts(store.readDb, scope, subject);
  if (!facts) return true;
  const { account_id } = before;
  const model = getPauseReason(service, account_id) ? null : await findChatModel(store.readDb, account_id);
  try {
    const questions = await findQuestions(store.readDb, gameId);
    const [summary] = await writeSummaries(model, [facts], questions, service.stopping);
    if (!summary) return true;
    if (summary.degraded !== null) pauseModel(service, account_id, summary.degraded);
    await store.write(async (db) => {
      const after = await findGameState(db, gameId);
      if (after?.deletions === before.deletions) await storeSummary(db, scope, summary, now);
    });
    return true;
  } catch (error) {
    // The lease expires, and the next server continues.
    if (error instanceof ModelStopped) return false;
    throw error;
  }
}
