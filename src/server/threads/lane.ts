/** The threads that run the tasks of one lane, each one task at a time. Threads start when they are first needed. */
import type { Worker } from "node:worker_threads";
import type { StartThread } from "../../shared/start-thread.ts";
import { type StopReason, TaskStopped } from "../core/task-stopped.ts";
import type { Task } from "../db/service.ts";
import { createError, type ResultMessage, type TaskMessage, type ThreadSetup } from "./messages.ts";

/** How long a canceled task may go on until its thread is ended, ms. Most tasks notice it at their next query. */
const CANCEL_MS = 1000;

export interface LaneOptions {
  readonly threads: number;
  /** Maximum memory of a thread for values of JavaScript, MB. */
  readonly maxHeapMb: number;
  readonly setup: Omit<ThreadSetup, "canceled">;
  /** Starts a thread that calls `runThread` with its setup. */
  readonly start: StartThread;
  now(): number;
}

/** A task that waits or runs. */
interface Job {
  readonly message: Omit<TaskMessage, "now">;
  readonly maxMs: number;
  readonly signal: AbortSignal | undefined;
  resolve(output: unknown): void;
  reject(error: Error): void;
}

export class ThreadLane {
  readonly #options: LaneOptions;
  readonly #waiting: Job[] = [];
  readonly #threads = new Set<LaneThread>();
  #isStopped = false;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** Throws TaskStopped. */
  async run<In, Out>({ name, maxMs }: Task<In, Out, never>, input: In, signal?: AbortSignal): Promise<Out> {
    if (this.#isStopped) throw new TaskStopped("stopping");
    if (signal?.aborted) throw new TaskStopped("canceled");
    return await new Promise<Out>((resolve, reject) => {
      const job: Job = {
        message: { task: name, input },
        ...{ maxMs, signal, reject },
        resolve: resolve as (output: unknown) => void,
      };
      this.#waiting.push(job);
      signal?.addEventListener("abort", () => this.#forget(job), { once: true });
      this.#dispatch();
    });
  }

  /** Rejects all tasks and ends all threads. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const job of this.#waiting.splice(0)) job.reject(new TaskStopped("stopping"));
    await Promise.all([...this.#threads].map((thread) => thread.end("stopping")));
  }

  #forget(job: Job): void {
    const at = this.#waiting.indexOf(job);
    if (at < 0) return;
    this.#waiting.splice(at, 1);
    job.reject(new TaskStopped("canceled"));
  }

  #dispatch(): void {
    if (this.#waiting.length === 0 || this.#isStopped) return;
    const free = [...this.#threads].find((thread) => !thread.isBusy) ?? this.#addThread();
    const job = free && this.#waiting.shift();
    if (!free || !job) return;
    void free.work(job).then(() => this.#dispatch());
  }

  #addThread(): LaneThread | null {
    if (this.#threads.size >= this.#options.threads) return null;
    const thread = new LaneThread(this.#options, () => this.#threads.delete(thread));
    this.#threads.add(thread);
    return thread;
  }
}

/** One thread and the task that it runs. */
class LaneThread {
  readonly #options: LaneOptions;
  readonly #canceled = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #worker: Promise<Worker>;
  readonly #onEnd: () => void;
  #job: Job | null = null;
  #finish: () => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  #reason: StopReason | null = null;

  constructor(options: LaneOptions, onEnd: () => void) {
    this.#options = options;
    this.#onEnd = onEnd;
    const setup: ThreadSetup = { ...options.setup, canceled: this.#canceled };
    this.#worker = options.start(setup, options.maxHeapMb);
    this.#worker.then(
      (worker) => {
        worker.unref();
        worker.on("message", (message: ResultMessage) => this.#receive(message));
        worker.on("error", (error) => this.#fail(error));
        worker.on("exit", () => this.#fail(new Error("The thread has ended")));
      },
      (error: Error) => this.#fail(error),
    );
  }

  get isBusy(): boolean {
    return this.#job !== null;
  }

  /** Runs a job. Resolves when the thread is free again or has ended. */
  async work(job: Job): Promise<void> {
    this.#job = job;
    Atomics.store(this.#canceled, 0, 0);
    const cancel = () => {
      Atomics.store(this.#canceled, 0, 1);
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.end("canceled"), CANCEL_MS);
    };
    const finished = new Promise<void>((resolve) => {
      this.#finish = resolve;
    });
    this.#timer = setTimeout(() => void this.end("time"), job.maxMs);
    job.signal?.addEventListener("abort", cancel, { once: true });
    // A failure to start is reported to the job by the constructor.
    void this.#worker.then(
      (worker) => {
        worker.ref();
        worker.postMessage({ ...job.message, now: this.#options.now() } satisfies TaskMessage);
      },
      () => {},
    );
    await finished;
    job.signal?.removeEventListener("abort", cancel);
  }

  /** Ends the thread, whatever it does. */
  async end(reason: StopReason): Promise<void> {
    this.#reason ??= reason;
    this.#onEnd();
    await this.#worker.then(
      (worker) => worker.terminate(),
      () => {},
    );
  }

  #receive(message: ResultMessage): void {
    const job = this.#takeJob();
    if ("output" in message) job?.resolve(message.output);
    else if (job?.signal?.aborted) job.reject(new TaskStopped("canceled"));
    else job?.reject(createError(message.error));
    void this.#worker.then((worker) => worker.unref());
    this.#finish();
  }

  #fail(error: Error): void {
    this.#onEnd();
    const isTooLarge = (error as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY";
    const reason = this.#reason ?? (isTooLarge ? "memory" : null);
    this.#takeJob()?.reject(reason === null ? error : new TaskStopped(reason));
    this.#finish();
  }

  #takeJob(): Job | null {
    clearTimeout(this.#timer);
    const job = this.#job;
    this.#job = null;
    return job;
  }
}
