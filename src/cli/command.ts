/** The definition of a command. The parser, the help, the completions and the docs are all built from it. */
import type { TableColumn } from "../render/columns.ts";
import type { RenderOptions } from "../render/options.ts";
import type { Context } from "./context.ts";
import type { CliError, CliErrorCode } from "./errors.ts";
import type { CommandArgument, Flags, FlagValues } from "./flags.ts";
import type { Io } from "./io.ts";

/** What a command returns: data for programs, and how to show it to people. Commands never print anything themselves. */
export interface Result {
  /** The JSON that `--json` prints and `--jq` and `--fields` work on; undefined prints nothing. */
  readonly data: unknown;
  /** The rows behind a table, csv, tsv, Markdown and ndjson. */
  readonly table?: Table;
  /** Additional tables. Only Markdown shows them, after the first table and each under its title. */
  readonly sections?: readonly { readonly title: string; readonly table: Table }[];
  /** The items that ndjson prints, one per line; by default the list in `data`. */
  readonly items?: readonly unknown[];
  /** The table's rows by page, instead of `data` and the table's own rows. Each page is written when it arrives. */
  readonly pages?: AsyncIterable<readonly unknown[]>;
  /** Text that is written as it arrives, for commands that follow something; instead of `data`. */
  readonly stream?: AsyncIterable<string>;
  /** Returns the conclusion after the stream has ended. */
  readonly concludeStream?: () => Result["verdict"];
  /** Renders what people see, ending in a line feed, if that is not just the table. */
  readonly view?: (options: RenderOptions) => string | Promise<string>;
  /** The conclusion of a command that succeeded but ends with the exit code of an error, such as `gate_failed`. */
  readonly verdict?: {
    readonly code: CliErrorCode;
    readonly message: string;
    readonly hint?: string;
    /** Whether the message is written after the hint, because a log is read from its end. */
    readonly isLast?: boolean;
  };
  /** Text that is printed in every format, such as a completion script. */
  readonly raw?: string;
  /** The exit code of a program that the command ran. */
  readonly exitCode?: number;
}

/** Rows with their columns. If there are no rows, `empty` is printed on stderr. */
export interface Table {
  readonly rows: readonly unknown[];
  readonly columns: readonly TableColumn<unknown>[];
  readonly empty: string;
}

/** Creates a table. The row type can be erased safely because the columns only receive these rows. */
export function createTable<T>(rows: readonly T[], columns: readonly TableColumn<T>[], empty: string): Table {
  return { rows, columns: columns as readonly TableColumn<unknown>[], empty };
}

export interface FailedRun {
  readonly error: CliError;
  /** What to do next, as it is printed. */
  readonly hint: string;
  readonly io: Io;
  /** Null if the settings are invalid. */
  readonly context: Context | null;
  readonly args: readonly string[];
  /** The flags as text, by key. */
  readonly given: Readonly<Record<string, unknown>>;
}

/** A topic of `playtest help` about a single command. */
export interface CommandTopic {
  readonly name: string;
  readonly summary: string;
  /** Paragraphs, separated by empty lines. Indented lines are printed unchanged. */
  readonly text: string;
  /** The keys of flags that the command's help lists without describing them. */
  readonly flags?: readonly string[];
}

export interface Command<F extends Flags = Flags> {
  /** The words that run it, such as `builds compare`. */
  readonly path: string;
  readonly summary: string;
  /** Further paragraphs for its help. */
  readonly details?: string;
  /** What is too long for its help, which points to this topic of `playtest help`. */
  readonly topic?: CommandTopic;
  readonly args: readonly CommandArgument[];
  readonly flags: F;
  /** Whole command lines, without `playtest`. */
  readonly examples: readonly string[];
  /** Passes everything after `--` through unparsed. */
  readonly passThrough?: true;
  /** Ignores invalid values in the profile, because the command may be the way to fix them. */
  readonly toleratesInvalidProfile?: true;
  /** Ignores all invalid or unreadable settings, because the command reports what is wrong with them. */
  readonly toleratesInvalidConfig?: true;
  /** Stops when `io.signal` is aborted, because it has something to finish. A signal does not end the process before. */
  readonly finishesOnSignal?: true;
  /** Whether it continues where an interrupted run with the same arguments stopped. */
  readonly resumes?: true | ((flags: FlagValues<F>) => boolean);
  run(
    context: Context,
    input: { readonly args: readonly string[]; readonly flags: FlagValues<F> },
  ): Promise<Result>;
  /** Called before the error of a run is printed, for commands that also write errors to files. */
  onError?(failed: FailedRun): Promise<void>;
}

type CommandDefinition<F extends Flags> = Omit<Command<F>, "args" | "flags"> & {
  readonly args?: readonly CommandArgument[];
  readonly flags?: F;
};

/** Defines a command. `run` receives the types of its flags. */
export function command<F extends Flags = Record<never, never>>(definition: CommandDefinition<F>): Command {
  return { args: [], flags: {}, ...definition } as Command;
}
