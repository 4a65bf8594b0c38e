/** Io: all that the command line touches of the world, given from outside so that tests can stand in for it. */
import type { Transport } from "../client/transport.ts";
import { withoutCommands } from "../render/text.ts";
import type { Environment } from "./environment.ts";

/** A stream that text is written to. */
export interface OutputStream {
  /** Resolves once the text, or the bytes of a file, are handed on. Rejects with the stream's error. */
  write(text: string | Uint8Array): Promise<void>;
  readonly isTTY: boolean;
  /** Columns of the terminal; undefined where there is none. */
  readonly columns: number | undefined;
  /** Colours the terminal shows: none, 16, 256 or truecolor. */
  readonly colors: 0 | 1 | 2 | 3;
  /** The stream itself, for spinners and prompts; absent where it is no terminal. */
  readonly stream?: NodeJS.WriteStream;
}

export interface Io {
  readonly out: OutputStream;
  readonly err: OutputStream;
  readonly stdin: {
    readonly isTTY: boolean;
    read(): AsyncIterable<Uint8Array>;
    /** The stream itself, for prompts; absent where it is no terminal. */
    readonly stream?: NodeJS.ReadStream;
  };
  readonly env: Environment;
  /** The working directory. */
  readonly cwd: string;
  /** The user's own folder. */
  readonly home: string;
  /** The folder of settings and keys. */
  readonly configDir: string;
  /** The folder of databases and of what is resumed. */
  readonly stateDir: string;
  /** The command that runs this very program: the node binary and the script. */
  readonly self: readonly string[];
  /** What it runs on: the version of Node, the operating system, and the processor. */
  readonly platform: { readonly node: string; readonly os: string; readonly arch: string };
  /** The id of this process. */
  readonly pid: number;
  /** Whether a process of this id is alive. */
  isAlive(pid: number): boolean;
  /** Unix ms. */
  now(): number;
  /** Resolves after `ms`, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** From 0 up to 1. */
  random(): number;
  /** Aborted by Ctrl-C or a request to terminate; its reason is the CliError. */
  readonly signal: AbortSignal;
  /** How requests are sent; absent for sockets. */
  readonly transport?: Transport;
}

/** Writes to stderr. Where nobody reads it nothing is lost that a command is about, so nothing fails. */
export async function writeStderr({ err }: Pick<Io, "err">, text: string): Promise<void> {
  await err.write(err.isTTY ? text : withoutCommands(text)).catch(() => {});
}
