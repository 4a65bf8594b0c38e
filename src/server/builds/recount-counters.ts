/**
 * Counts the counters of a build again. Whoever changes a session changes its counters in the same transaction, so the
 * difference between stored and recounted counters in one snapshot stays the same, whatever is stored meanwhile. It can therefore
 * be added later, without a lock while the sessions are read.
 */
import { addToCounter, type CounterChange, removeEmptyCounters } from "../db/counters.ts";
import type { BuildCountRow, Db } from "../db/schema.ts";
import { readSessionSums } from "../db/session-sums.ts";
import type { Store } from "../db/store.ts";
import { listCounts, parseFacts } from "../db/tester-facts.ts";
import {
  type BuildKey,
  claimCounters,
  findWrongBuckets,
  readDeletions,
  readStoredCounts,
  readTesterPage,
} from "./recount-queries.ts";

const TESTER_PAGE = 500;
/** The most buckets that one transaction corrects. */
const MAX_BUCKETS = 5_000;
/** How often a recount begins again because sessions were deleted or another recount worked on the game. */
const MAX_ATTEMPTS = 5;

/** The build that is recounted, with the account of its game. */
export interface AccountBuild extends BuildKey {
  readonly account_id: string;
}

interface Differences {
  readonly deletions: number;
  readonly counts: readonly CounterChange[];
  readonly durations: readonly CounterChange[];
  /** Whether nothing else is wrong. */
  readonly isComplete: boolean;
}

/** Corrects the counters of a build, and returns how many were wrong. With `dryRun`, it only counts them. */
export async function recountCounters(
  store: Store,
  build: AccountBuild,
  { dryRun, signal }: { readonly dryRun: boolean; readonly signal: AbortSignal },
): Promise<number> {
  let [corrected, failed] = [0, 0];
  while (failed < MAX_ATTEMPTS) {
    signal.throwIfAborted();
    const found = await store.read((db) => findDifferences(db, build));
    const wrong = found.counts.length + found.durations.length;
    if (wrong === 0 || dryRun) return corrected + wrong;
    if (await store.write((db) => correct(db, build, found))) {
      corrected += wrong;
      if (found.isComplete) return corrected;
    } else failed += 1;
  }
  throw new Error(`Other processes delete or recount sessions of the game ${build.game_id} at the same time`);
}

/** Adds the differences, unless another recount may have done so since they were found. */
async function correct(
  db: Db,
  { game_id, account_id }: AccountBuild,
  { deletions, counts, durations }: Differences,
): Promise<boolean> {
  if (!(await claimCounters(db, game_id, deletions))) return false;
  await addToCounter(db, "build_counts", counts);
  await addToCounter(db, "build_durations", durations);
  await removeEmptyCounters(db, { game_id, account_id });
  return true;
}

async function findDifferences(db: Db, key: BuildKey): Promise<Differences> {
  const deletions = await readDeletions(db, key.game_id);
  // The game was deleted.
  if (deletions === null) return { deletions: 0, counts: [], durations: [], isComplete: true };
  const counters = new CounterSums(key);
  for (const row of await readSessionSums(db, key.game_id, key.build)) counters.add(row, row.amount);
  await sumTesters(db, key, counters);
  for (const row of await readStoredCounts(db, key)) counters.add(row, -Number(row.amount));
  const durations: CounterChange[] = [];
  let isComplete = true;
  for (const kind of ["wall", "active"] as const) {
    const wrong = await findWrongBuckets(db, key, kind, MAX_BUCKETS);
    for (const { level, bucket, by } of wrong) durations.push({ row: { ...key, kind, level, bucket }, by });
    if (wrong.length === MAX_BUCKETS) isComplete = false;
  }
  return { deletions, counts: counters.list(), durations, isComplete };
}

type CountKey = Pick<BuildCountRow, "environment" | "kind" | "name">;

/** Sums by counter of one build. */
class CounterSums {
  readonly #key: BuildKey;
  readonly #sums = new Map<string, { readonly count: CountKey; by: number }>();

  constructor({ game_id, build }: BuildKey) {
    this.#key = { game_id, build };
  }

  add({ environment, kind, name }: CountKey, by: number): void {
    const id = JSON.stringify([environment, kind, name]);
    const sum = this.#sums.get(id);
    if (sum) sum.by += by;
    else this.#sums.set(id, { count: { environment, kind, name }, by });
  }

  /** The sums that are not 0. */
  list(): CounterChange[] {
    const { game_id, build } = this.#key;
    return [...this.#sums.values()]
      .filter(({ by }) => by !== 0)
      .map(({ count, by }) => ({ row: { game_id, build, ...count }, by }));
  }
}

/** Adds up which facts the testers of a build have. */
async function sumTesters(db: Db, key: BuildKey, counters: CounterSums): Promise<void> {
  for (let after = ""; ; ) {
    const testers = await readTesterPage(db, key, after, TESTER_PAGE);
    for (const { facts } of testers)
      for (const count of listCounts(parseFacts(facts)).values()) counters.add(count, 1);
    if (testers.length < TESTER_PAGE) return;
    after = testers.at(-1)?.tester ?? "";
  }
}
