/**
 * The workers that run the tasks of one lane, each one task at a time. They start when they are first needed. A worker is a
 * process, because a query of SQLite can only be ended with its process, and because a process that runs out of memory ends
 * alone.
 */
import type { ChildProcess } from "node:child_process";
import type { StartWorker } from "../../shared/start-worker.ts";
import { type StopReason, TaskStopped } from "../core/task-stopped.ts";
import type { Task } from "../db/service.ts";
import { createError, type ResultMessage, type TaskMessage, type WorkerSetup } from "./messages.ts";

export interface LaneOptions {
  /** Maximum number of workers. */
  readonly workers: number;
  /** Maximum memory of a worker for values of JavaScript, MB. */
  readonly maxHeapMb: number;
  /** When a worker without a task ends, ms (default: never), because the next task may be hours away. */
  readonly maxIdleMs?: number;
  readonly setup: WorkerSetup;
  readonly start: StartWorker;
  now(): number;
  /** Runs the work on a task, and measures how long it takes. */
  measure(task: string, work: () => Promise<void>): Promise<void>;
}

/** A task that waits or runs. */
interface Job {
  readonly message: Omit<TaskMessage, "now">;
  readonly maxMs: number;
  /** See `Task`. */
  readonly owner: string | undefined;
  readonly signal: AbortSignal | undefined;
  resolve(output: unknown): void;
  reject(error: Error): void;
}

export class WorkerLane {
  readonly #options: LaneOptions;
  readonly #waiting: Job[] = [];
  readonly #workers = new Set<LaneWorker>();
  /** When each owner was last served, by number. */
  readonly #served = new Map<string | undefined, number>();
  #count = 0;
  #isStopped = false;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** Throws TaskStopped. */
  async run<In, Out>(task: Task<In, Out, never>, input: In, signal?: AbortSignal): Promise<Out> {
    if (this.#isStopped) throw new TaskStopped("stopping");
    if (signal?.aborted) throw new TaskStopped("canceled");
    return await new Promise<Out>((resolve, reject) => {
      const job: Job = {
        message: { task: task.name, input },
        ...{ maxMs: task.maxMs, owner: task.getOwner?.(input), signal, reject },
        resolve: resolve as (output: unknown) => void,
      };
      this.#waiting.push(job);
      signal?.addEventListener("abort", () => this.#forget(job), { once: true });
      this.#dispatch();
    });
  }

  /** Rejects all tasks and ends all workers. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const job of this.#waiting.splice(0)) job.reject(new TaskStopped("stopping"));
    await Promise.all([...this.#workers].map((worker) => worker.end("stopping")));
  }

  #forget(job: Job): void {
    const at = this.#waiting.indexOf(job);
    if (at < 0) return;
    this.#waiting.splice(at, 1);
    job.reject(new TaskStopped("canceled"));
  }

  #dispatch(): void {
    if (this.#waiting.length === 0 || this.#isStopped) return;
    const free = [...this.#workers].find((worker) => !worker.isBusy) ?? this.#addWorker();
    const job = free && this.#takeNext();
    if (!free || !job) return;
    void this.#options.measure(job.message.task, () => free.work(job)).then(() => this.#dispatch());
  }

  /** Takes the first job of the owner that was served longest ago. */
  #takeNext(): Job | undefined {
    const served = (job: Job) => this.#served.get(job.owner) ?? 0;
    const [job] = this.#waiting.toSorted((a, b) => served(a) - served(b));
    if (!job) return undefined;
    this.#waiting.splice(this.#waiting.indexOf(job), 1);
    // Nobody else waits, so it does not matter who was served.
    if (this.#waiting.length === 0) this.#served.clear();
    this.#count += 1;
    this.#served.set(job.owner, this.#count);
    return job;
  }

  #addWorker(): LaneWorker | null {
    if (this.#workers.size >= this.#options.workers) return null;
    const worker = new LaneWorker(this.#options, () => {
      this.#workers.delete(worker);
      // A task that arrived while the worker ended waits for the next one.
      this.#dispatch();
    });
    this.#workers.add(worker);
    return worker;
  }
}

/** One worker and the task that it runs. */
class LaneWorker {
  readonly #options: LaneOptions;
  readonly #process: Promise<ChildProcess>;
  readonly #ended: Promise<void>;
  #job: Job | null = null;
  #finish: () => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #reason: StopReason | null = null;

  constructor(options: LaneOptions, onEnd: () => void) {
    this.#options = options;
    this.#process = options.start(options.maxHeapMb);
    this.#ended = this.#watch().then((error) => {
      onEnd();
      this.#takeJob()?.reject(this.#reason === null ? error : new TaskStopped(this.#reason));
      this.#finish();
    });
  }

  /** Whether it cannot take a task: it has one, or it is being ended. */
  get isBusy(): boolean {
    return this.#job !== null || this.#reason !== null;
  }

  /** Runs a job. Resolves when the worker is free again or has ended. */
  async work(job: Job): Promise<void> {
    clearTimeout(this.#idle);
    this.#job = job;
    const cancel = () => void this.end("canceled");
    const finished = new Promise<void>((resolve) => {
      this.#finish = resolve;
    });
    this.#timer = setTimeout(() => void this.end("time"), job.maxMs);
    job.signal?.addEventListener("abort", cancel, { once: true });
    const message: TaskMessage = { ...job.message, now: this.#options.now() };
    // Whether it has started is reported to the job when the worker ends.
    void this.#process.then(
      (child) => {
        hold(child, true);
        send(child, message);
      },
      () => {},
    );
    await finished;
    const { maxIdleMs } = this.#options;
    if (maxIdleMs !== undefined) this.#idle = setTimeout(() => void this.end("canceled"), maxIdleMs).unref();
    job.signal?.removeEventListener("abort", cancel);
  }

  /** Ends the worker, whatever it does. */
  async end(reason: StopReason): Promise<void> {
    this.#reason ??= reason;
    await this.#process.then(
      (child) => {
        // Otherwise, this process might end before its shutdown is complete.
        hold(child, true);
        child.kill("SIGKILL");
      },
      () => {},
    );
    await this.#ended;
  }

  /** Resolves with the reason when the worker has ended or could not start. */
  async #watch(): Promise<Error> {
    try {
      const child = await this.#process;
      hold(child, false);
      const ended = new Promise<Error>((resolve) => {
        child.on("error", resolve);
        child.once("exit", (code, signal) => {
          // Node aborts when it runs out of memory.
          if (signal === "SIGABRT" || code === OUT_OF_MEMORY_CODE) this.#reason ??= "memory";
          resolve(new Error(`The worker has ended with ${signal ?? code}`));
        });
      });
      child.on("message", (message: ResultMessage) => {
        // A worker that is being ended gets no other task.
        if (this.#reason !== null) return;
        hold(child, false);
        this.#receive(message);
      });
      send(child, this.#options.setup);
      return await ended;
    } catch (error) {
      return error as Error;
    }
  }

  #receive(message: ResultMessage): void {
    const job = this.#takeJob();
    if ("output" in message) job?.resolve(message.output);
    else job?.reject(createError(message.error));
    this.#finish();
  }

  #takeJob(): Job | null {
    clearTimeout(this.#timer);
    const job = this.#job;
    this.#job = null;
    return job;
  }
}

/** The exit code of Node where there is no signal: 128 and the number of SIGABRT. */
const OUT_OF_MEMORY_CODE = 134;

/** The exit of a worker that cannot receive a message is reported with its job. A process that did not start has no channel. */
function send(child: ChildProcess, message: object): void {
  child.send?.(message, () => {});
}

/** Sets whether this process waits for a worker before it ends. */
function hold(child: ChildProcess, isHeld: boolean): void {
  if (isHeld) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}
