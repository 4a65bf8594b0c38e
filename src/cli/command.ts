/** What a command is: one value that the parser, the help, the completions and the docs are made from. */
import type { TableColumn } from "../render/columns.ts";
import type { RenderOptions } from "../render/options.ts";
import type { Context } from "./context.ts";
import type { CliErrorCode } from "./errors.ts";
import type { CommandArgument, Flags, FlagValues } from "./flags.ts";

/** What a command returns: data for machines, and how people see it. Commands return; they never print. */
export interface Result {
  /** The JSON that `--json` prints and `--jq` and `--fields` work on; undefined prints nothing. */
  readonly data: unknown;
  /** The rows behind a table, csv, tsv, Markdown and ndjson. */
  readonly table?: Table;
  /** More tables of the same answer, each under its title: Markdown shows them after the first. */
  readonly sections?: readonly { readonly title: string; readonly table: Table }[];
  /** What ndjson prints a line each, where it is not the list in the data. */
  readonly items?: readonly unknown[];
  /** The table's rows page by page, in place of `data` and the table's own rows: written as they come, never held together. */
  readonly pages?: AsyncIterable<readonly unknown[]>;
  /** What people see where it is not the table alone. */
  readonly view?: (options: RenderOptions) => string | Promise<string>;
  /** The error whose exit code is the answer of a command that worked, such as `gate_failed`. */
  readonly verdict?: { readonly code: CliErrorCode; readonly message: string; readonly hint?: string };
  /** Text that is the answer whatever the format, such as a script. */
  readonly raw?: string;
  /** The exit code of a program that the command ran. */
  readonly exitCode?: number;
}

/** Rows with their columns; `empty` is said on stderr where there are none. */
export interface Table {
  readonly rows: readonly unknown[];
  readonly columns: readonly TableColumn<unknown>[];
  readonly empty: string;
}

/** Makes a table of rows of one type. The columns only ever see these rows, so that the type may be forgotten. */
export function createTable<T>(rows: readonly T[], columns: readonly TableColumn<T>[], empty: string): Table {
  return { rows, columns: columns as readonly TableColumn<unknown>[], empty };
}

export interface Command<F extends Flags = Flags> {
  /** The words that call it, such as `builds compare`. */
  readonly path: string;
  readonly summary: string;
  /** More than the summary, for its help. */
  readonly details?: string;
  readonly args: readonly CommandArgument[];
  readonly flags: F;
  /** Whole command lines, without `playtest`. */
  readonly examples: readonly string[];
  /** Takes everything after `--` as it is. */
  readonly passThrough?: true;
  /** Works with a profile that holds values that cannot be, for it changes them. */
  readonly toleratesInvalidProfile?: true;
  /** Works with settings of any kind and without what cannot be read of them, for it tells what is wrong with them. */
  readonly toleratesInvalidConfig?: true;
  run(
    context: Context,
    given: { readonly args: readonly string[]; readonly flags: FlagValues<F> },
  ): Promise<Result>;
}

/** Defines a command; its flags' types flow into `run`. */
export function command<F extends Flags>(definition: Command<F>): Command {
  return definition as Command;
}
