/** The running service as every module above the database sees it. */
import type { Dependencies } from "../core/dependencies.ts";
import type { Budgets } from "./budgets/budgets.ts";
import type { GroupCommit } from "./group-commit.ts";
import type { Integrity } from "./integrity.ts";
import type { Store } from "./store.ts";

/**
 * Work that takes longer than a request may keep others waiting. It reads and computes; its input and output are copied to and
 * from another process, so they consist of plain values.
 */
export interface Task<In, Out, S extends Service = Service> {
  readonly name: string;
  /**
   * Tasks of one lane run one after the other in each of its workers: reads that clients wait for, background work, or checks
   * and copies of the whole database.
   */
  readonly lane: Lane;
  /** Maximum duration, ms. */
  readonly maxMs: number;
  /** Who asks for it, such as an account. Owners take turns, so that nobody has to wait for all tasks of another one. */
  getOwner?(input: In): string;
  run(service: S, input: In): Promise<Out>;
}

export type Lane = "reads" | "background" | "upkeep";

/** Runs tasks, beside requests if there are workers. */
export interface Work<S extends Service = Service> {
  /**
   * Rejects with the error of the task. Throws TaskStopped if it takes too long or too much memory, if `signal` is aborted, or
   * if the service stops.
   */
  run<In, Out>(task: Task<In, Out, S>, input: In, signal?: AbortSignal): Promise<Out>;
}

export interface Service extends Dependencies {
  readonly store: Store;
  readonly work: Work;
  /** Whether the database is damaged. */
  readonly integrity: Integrity;
  /** What everybody with the key of a game may cause in a day. */
  readonly budgets: Budgets;
  /** Decrypts the tokens of webhooks; null without one. */
  readonly tokenKey: Buffer | null;
  /** Commits writes that arrive together in one transaction. */
  readonly commits: Pick<GroupCommit, "run">;
  /** Fires when a shutdown is requested: requests are still answered, but no more should be sent. */
  readonly draining: AbortSignal;
  /** Fires when the service stops: requests to AI models are abandoned. */
  readonly stopping: AbortSignal;
  /** Called when a session may be due for analysis. */
  wakeAnalysis(): void;
  /** Called when an event was added to the outbox of webhooks. */
  wakeDeliveries(): void;
}
