/** What a dataset is: its columns, and how its rows are read of one game. */
import type { Game } from "../../contract/games.ts";
import type { Bucket, By, Span } from "../../shared/calendar.ts";
import type { Column } from "../column.ts";
import type { Reader } from "../reader.ts";

/** What is read of one game. */
export interface Scope {
  readonly game: Game;
  /** One aggregate each; an empty list is one over all environments. */
  readonly environments: readonly string[];
  /** The time that is covered; null for datasets without one, and where a game has nothing in it. */
  readonly span: Span | null;
  readonly by: By;
  /** Whether each bucket becomes a part of its own. */
  readonly split: boolean;
}

/** Rows that become one file; `bucket` is null where they are not of one stretch of time. */
export interface Part<T> {
  readonly bucket: Bucket | null;
  readonly rows: AsyncIterable<readonly T[]>;
}

/** What there is to read in a stretch of time. */
export interface Extent {
  readonly items: number;
  /** The earliest time of an item, unix ms. */
  readonly oldest: number;
  /** At most so many hours, days or weeks hold items. */
  readonly buckets: number;
  /** About how many of these there are, each build of one counted where the dataset asks for it alone. */
  readonly groups: number;
}

export interface Dataset<T> {
  readonly name: string;
  readonly summary: string;
  /** In the order of every format; further ones are added at the end alone. */
  readonly columns: readonly Column<T>[];
  /** Whether the API narrows it by environment. */
  readonly hasEnvironments: boolean;
  /** What is there between two times; null for a dataset that the API tells the present state of alone. */
  readonly extent:
    | ((reader: Reader, game: Game, span: Partial<Span>, by: By) => Promise<Extent | null>)
    | null;
  /** About how many requests a scope takes; no extent for what has none, and where there is nothing. */
  requests(scope: Scope, extent: Extent | null): number;
  /** The parts, the earliest first. */
  parts(reader: Reader, scope: Scope): AsyncIterable<Part<T>>;
}

/** Defines a dataset; its rows' type flows into its columns, which only ever see these rows. */
export function dataset<T>(definition: Dataset<T>): Dataset<unknown> {
  return { ...definition, columns: definition.columns as readonly Column<unknown>[] };
}

/** The environments to ask for, one after the other: undefined stands for all of them together. */
export function environmentsOf({ environments }: Scope): readonly (string | undefined)[] {
  return environments.length === 0 ? [undefined] : environments;
}

/** A dataset that is one part: what the API tells of a game now. */
export function snapshot<T>(rows: (reader: Reader, scope: Scope) => AsyncIterable<readonly T[]>) {
  return async function* (reader: Reader, scope: Scope): AsyncGenerator<Part<T>> {
    yield { bucket: null, rows: rows(reader, scope) };
  };
}

/** In the order of code units, the same on every machine. */
export function inOrder(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
