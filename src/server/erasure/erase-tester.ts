/** Erases everything of a tester, in steps that another run continues after a kill. */
import { ServiceError } from "../core/errors.ts";
import { keyedHash } from "../db/keyed-hash.ts";
import type { Db } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { addTombstones, findErasedAt, type TombstoneRef } from "../sessions/tombstone-queries.ts";
import { clearRefusals } from "../telemetry/arrival-queries.ts";
import { deleteSession } from "./delete-session.ts";
import { findDerivedSources, lockForDeletion } from "./deletion-queries.ts";
import { countPlan, type GamePlan, mergeByGame, planErasure, toFinders } from "./erasure-plan.ts";
import { unknownTester } from "./export-tester.ts";
import { addToJob, deleteJob, type ErasureJob, findJob, findJobs, storeJob } from "./job-queries.ts";
import { addCounts, eraseRows, type RowCounts } from "./row-queries.ts";
import { deleteDeviceWindows, releaseReservedKeys, testerNameKinds } from "./tester-queries.ts";

type EraseService = Pick<Service, "store" | "now">;

/** Whom to erase. */
export interface ErasureTarget {
  readonly accountId: string;
  /** A handle, a device id or an email address. */
  readonly name: string;
  /** The games to erase the tester from. */
  readonly gameIds: readonly string[];
}

/** The outcome of an erasure. */
export interface ErasureReport {
  /** Keyed hash of the tester's name. */
  readonly tester: string;
  /** Unix ms. */
  readonly startedAt: number;
  /** Erased rows by table; in a dry run, those that would be erased. */
  readonly counts: RowCounts;
  /** What a recount found after everything was erased; null in a dry run. */
  readonly remaining: RowCounts | null;
}

/** Counts what an erasure would erase. Throws `not_found` if no game knows the tester. */
export async function previewErasure(
  { store, now }: EraseService,
  target: ErasureTarget,
): Promise<ErasureReport> {
  return await store.write(async (db) => {
    const { job } = await planJob(db, target, now());
    const counts = [job.counts];
    for (const plan of job.plans) counts.push(await countPlan(db, plan));
    return { tester: job.id, startedAt: job.startedAt, counts: addCounts(...counts), remaining: null };
  });
}

/** What is done along with an erasure. */
interface ErasureSteps<T> {
  /** Runs in the first transaction, with the keyed hash of the tester's name. */
  begin(db: Db, tester: string): Promise<void>;
  /** Runs when everything is erased. If it fails, another run has the same report. */
  end(report: ErasureReport): Promise<T>;
}

const noSteps: ErasureSteps<ErasureReport> = { begin: async () => {}, end: async (report) => report };

/**
 * Erases a tester, and returns the result of the last step. From the first step on, late telemetry of the tester is refused.
 * Erasing a tester again erases nothing. Throws `not_found` if no game has ever known the tester, and `conflict` if a reader
 * keeps old versions of the data in the files of the database.
 */
export async function eraseTester(service: EraseService, target: ErasureTarget): Promise<ErasureReport>;
export async function eraseTester<T>(
  service: EraseService,
  target: ErasureTarget,
  steps: ErasureSteps<T>,
): Promise<T>;
export async function eraseTester(
  service: EraseService,
  target: ErasureTarget,
  steps: ErasureSteps<unknown> = noSteps,
): Promise<unknown> {
  const { store } = service;
  const job = await beginErasure(service, target, steps.begin);
  for (const plan of job.plans) {
    // An earlier run may have deleted some of them.
    for (const session of await findDerivedSources(store.readDb, plan.gameId, plan.sessions)) {
      await deleteSession(service, session.account_id, session, (db, counts) => addToJob(db, job, counts));
    }
    await store.write((db) => eraseTesterRows(service, db, job, plan));
  }
  const finished = await store.write((db) => finishJob(db, job));
  await requirePurged(store);
  const { startedAt, counts, remaining } = finished;
  const result = await steps.end({ tester: job.id, startedAt, counts, remaining });
  await store.write((db) => deleteJob(db, job));
  return result;
}

/** Removes deleted data from the files of the database. Throws `conflict` if another process prevents it. */
export async function requirePurged(store: Pick<Service["store"], "purgeDeleted">): Promise<void> {
  if (await store.purgeDeleted()) return;
  throw new ServiceError("conflict", {
    message:
      "The data was deleted, but another process reads an earlier version of the database, which its files still contain",
    hint: "Wait until exports and backups have ended, then run the command again.",
  });
}

/**
 * Plans the erasure of the tester, which is not stored yet, with what unfinished erasures of the tester have left. These may
 * have covered other games, or begun with another name.
 */
async function planJob(
  db: Db,
  { accountId, name, gameIds }: ErasureTarget,
  now: number,
): Promise<{ job: ErasureJob; unfinished: readonly ErasureJob[] }> {
  const id = await keyedHash(db, name);
  const plans: GamePlan[] = [];
  for (const gameId of gameIds) {
    plans.push(...(await planErasure(db, gameId, name)));
  }
  const unfinished = (await findJobs(db, accountId)).filter((job) => job.id === id || isNamed(job, name));
  if (plans.length === 0 && unfinished.length === 0 && !(await wasErased(db, gameIds, name)))
    throw unknownTester(name);
  const all: readonly Omit<ErasureJob, "accountId" | "id">[] = [
    ...unfinished,
    { startedAt: now, plans, counts: {}, remaining: null },
  ];
  const job = {
    accountId,
    id,
    startedAt: Math.min(...all.map(({ startedAt }) => startedAt)),
    plans: mergeByGame(all.flatMap((one) => one.plans)),
    counts: addCounts(...all.map(({ counts }) => counts)),
    remaining: null,
  };
  return { job, unfinished };
}

const isNamed = ({ plans }: ErasureJob, name: string) =>
  plans.some(({ names }) => testerNameKinds.some((kind) => names[kind].includes(name)));

/** Whether a tester with this name was erased from one of the games before. */
async function wasErased(db: Db, gameIds: readonly string[], name: string): Promise<boolean> {
  const refs = gameIds.flatMap((gameId) => testerNameKinds.map((kind) => ({ kind, gameId, value: name })));
  return (await findErasedAt(db, refs)).some((erasedAt) => erasedAt !== null);
}

/** Stores the job and the tombstones of the tester's names, so that nothing is added while the steps run. */
async function beginErasure(
  { store, now }: EraseService,
  target: ErasureTarget,
  onBegin: (db: Db, tester: string) => Promise<void>,
): Promise<ErasureJob> {
  return await store.write(async (db) => {
    for (const gameId of [...target.gameIds].sort()) await lockForDeletion(db, store.engine, gameId);
    const { job, unfinished } = await planJob(db, target, now());
    for (const other of unfinished) await deleteJob(db, other);
    await storeJob(db, job);
    for (const { gameId, names } of job.plans) await addTombstones(db, listNameRefs(gameId, names), now());
    await onBegin(db, job.id);
    return job;
  });
}

function listNameRefs(gameId: string, names: GamePlan["names"]): TombstoneRef[] {
  return testerNameKinds.flatMap((kind) => names[kind].map((value) => ({ kind, gameId, value })));
}

/** Erases what belongs to the tester but to no session. */
async function eraseTesterRows(
  { store }: EraseService,
  db: Db,
  job: ErasureJob,
  plan: GamePlan,
): Promise<void> {
  const { gameId, names, sessions, playtestKeys } = plan;
  await lockForDeletion(db, store.engine, gameId);
  await releaseReservedKeys(db, gameId, playtestKeys);
  const counts = await eraseRows(db, gameId, toFinders(plan));
  await clearRefusals(db, job.accountId, { sessions, devices: names.device });
  await deleteDeviceWindows(db);
  await addToJob(db, job, counts);
}

/** Counts what is left, and removes the names from the job. */
async function finishJob(db: Db, { accountId, id }: ErasureJob): Promise<ErasureJob> {
  const job = await findJob(db, accountId, id);
  if (!job) throw new RangeError("The erasure was finished by another process");
  const counts: RowCounts[] = [job.remaining ?? {}];
  for (const plan of job.plans) counts.push(await countPlan(db, plan));
  const finished = { ...job, plans: [], remaining: addCounts(...counts) };
  await storeJob(db, finished);
  return finished;
}
