/** What a dataset is: its columns, and how its rows are read of one game. */
import type { Game } from "../../contract/games.ts";
import type { Bucket, BucketWidth, TimeSpan } from "../../shared/calendar.ts";
import type { ExportColumn } from "../column.ts";
import type { ExportReader } from "../reader.ts";

/** What is read of one game. */
export interface ExportScope {
  readonly game: Game;
  /** One aggregate each; an empty list is one over all environments. */
  readonly environments: readonly string[];
  /** The time that is covered; null for datasets without one, and where a game has nothing in it. */
  readonly span: TimeSpan | null;
  readonly by: BucketWidth;
  /** Whether each bucket becomes a part of its own. */
  readonly split: boolean;
}

/** Rows that become one file; `bucket` is null where they are not of one stretch of time. */
export interface ExportPart<T> {
  readonly bucket: Bucket | null;
  readonly rows: AsyncIterable<readonly T[]>;
}

/** What there is to read in a stretch of time. */
export interface DatasetExtent {
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
  readonly columns: readonly ExportColumn<T>[];
  /** Whether the API narrows it by environment. */
  readonly hasEnvironments: boolean;
  /** What is there between two times; null for a dataset that the API tells the present state of alone. */
  readonly extent:
    | ((
        reader: ExportReader,
        game: Game,
        span: Partial<TimeSpan>,
        by: BucketWidth,
      ) => Promise<DatasetExtent | null>)
    | null;
  /** About how many requests a scope takes; no extent for what has none, and where there is nothing. */
  requests(scope: ExportScope, extent: DatasetExtent | null): number;
  /** The parts, the earliest first. */
  parts(reader: ExportReader, scope: ExportScope): AsyncIterable<ExportPart<T>>;
}

/** Defines a dataset; its rows' type flows into its columns, which only ever see these rows. */
export function defineDataset<T>(definition: Dataset<T>): Dataset<unknown> {
  return { ...definition, columns: definition.columns as readonly ExportColumn<unknown>[] };
}

/** The environments to ask for, one after the other: undefined stands for all of them together. */
export function toEnvironmentFilters({ environments }: ExportScope): readonly (string | undefined)[] {
  return environments.length === 0 ? [undefined] : environments;
}

/** A dataset that is one part: what the API tells of a game now. */
export function snapshot<T>(rows: (reader: ExportReader, scope: ExportScope) => AsyncIterable<readonly T[]>) {
  return async function* (reader: ExportReader, scope: ExportScope): AsyncGenerator<ExportPart<T>> {
    yield { bucket: null, rows: rows(reader, scope) };
  };
}

/** In the order of code units, the same on every machine. */
export function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
