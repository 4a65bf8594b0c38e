/** Stores erasures that are not finished, so that another run continues them after a kill. */
import { deleteRows, putRow } from "../db/rows.ts";
import type { Db } from "../db/schema.ts";
import type { GamePlan } from "./erasure-plan.ts";
import { addCounts, type RowCounts } from "./row-queries.ts";

/** An erasure in progress. */
export interface ErasureJob {
  readonly accountId: string;
  /** Keyed hash of the tester's name. */
  readonly id: string;
  readonly startedAt: number;
  /** What is left to erase, by game. */
  readonly plans: readonly GamePlan[];
  /** The rows that were erased so far. */
  readonly counts: RowCounts;
  /** The rows that a recount found after everything was erased; null before. */
  readonly remaining: RowCounts | null;
}

export async function findJob(db: Db, accountId: string, id: string): Promise<ErasureJob | null> {
  return (await findJobs(db, accountId)).find((job) => job.id === id) ?? null;
}

/** All erasures of an account that are not finished, oldest first. */
export async function findJobs(db: Db, accountId: string): Promise<ErasureJob[]> {
  const rows = await db
    .selectFrom("erasures")
    .selectAll()
    .where("account_id", "=", accountId)
    .orderBy("started_at")
    .orderBy("id")
    .execute();
  return rows.map(({ id, started_at, plan, counts: stored }) => {
    const { counts, remaining } = JSON.parse(stored) as Pick<ErasureJob, "counts" | "remaining">;
    const plans = JSON.parse(plan) as readonly GamePlan[];
    return { accountId, id, startedAt: Number(started_at), plans, counts, remaining };
  });
}

/** Stores a job and replaces an earlier state of it. */
export async function storeJob(db: Db, job: ErasureJob): Promise<void> {
  const { accountId, id, startedAt, plans, counts, remaining } = job;
  const row = { plan: JSON.stringify(plans), counts: JSON.stringify({ counts, remaining }) };
  await putRow(db, "erasures", { account_id: accountId, id, started_at: startedAt, ...row });
}

/** Adds to the counts of a job, in the transaction that erased the rows. */
export async function addToJob(db: Db, { accountId, id }: ErasureJob, erased: RowCounts): Promise<void> {
  const job = await findJob(db, accountId, id);
  if (job) await storeJob(db, { ...job, counts: addCounts(job.counts, erased) });
}

export async function deleteJob(db: Db, { accountId, id }: ErasureJob): Promise<void> {
  await deleteRows(db, "erasures", { account_id: accountId, id });
}
