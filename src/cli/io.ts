/** Everything the command line uses from its environment, passed in so that tests can replace it. */
import type { Transport } from "../client/transport.ts";
import { withoutCommands } from "../render/text.ts";
import type { StartWorker } from "../shared/start-worker.ts";
import type { Environment } from "./environment.ts";

export interface OutputStream {
  /** Resolves once the stream has accepted the text or bytes. Rejects with the stream's error. */
  write(text: string | Uint8Array): Promise<void>;
  readonly isTTY: boolean;
  /** The width of the terminal in columns; undefined if this is not a terminal. */
  readonly columns: number | undefined;
  /** The color level of the terminal: 0 (none), 1 (16 colors), 2 (256 colors) or 3 (all colors). */
  readonly colors: 0 | 1 | 2 | 3;
  /** The stream itself, for spinners and prompts; absent if it is not a terminal. */
  readonly stream?: NodeJS.WriteStream;
}

export interface Io {
  readonly out: OutputStream;
  readonly err: OutputStream;
  readonly stdin: {
    readonly isTTY: boolean;
    read(): AsyncIterable<Uint8Array>;
    /** The stream itself, for prompts; absent if it is not a terminal. */
    readonly stream?: NodeJS.ReadStream;
  };
  readonly env: Environment;
  readonly cwd: string;
  readonly home: string;
  /** The folder of settings and keys. */
  readonly configDir: string;
  /** The folder of the local databases and of the progress of resumable commands. */
  readonly stateDir: string;
  /** The command that runs this program: the node binary and the script. */
  readonly self: readonly string[];
  /** The version of Node.js, the operating system and the processor architecture. */
  readonly platform: { readonly node: string; readonly os: string; readonly arch: string };
  readonly pid: number;
  isAlive(pid: number): boolean;
  /** Unix ms. */
  now(): number;
  /** Milliseconds of a monotonic clock, for durations and waits: adjusting the wall clock does not affect it. */
  monotonicNow(): number;
  /** Resolves after `ms`, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** A random number of at least 0 and below 1. */
  random(): number;
  /** Aborted by Ctrl-C or a termination signal during interruptible work. The reason is a CliError. */
  readonly signal: AbortSignal;
  /**
   * Runs work that stops when `signal` is aborted. At any other time, a signal ends the process immediately, because a
   * long computation could not react to it.
   */
  interruptible<T>(work: () => Promise<T>): Promise<T>;
  /** Starts a worker for the tasks of a service. Without it, they run in the process of the command. */
  readonly startWorker?: StartWorker;
  /** Replaces the network in tests. */
  readonly transport?: Transport;
}

/** Writes to stderr, without commands for CI services. Write errors are ignored, because stderr never carries the result of a command. */
export async function writeStderr({ err }: Pick<Io, "err">, text: string): Promise<void> {
  await err.write(withoutCommands(text)).catch(() => {});
}
