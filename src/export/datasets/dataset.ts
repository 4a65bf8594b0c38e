/** Datasets: their columns, and how to read the rows of one game. */
import type { Game } from "../../contract/games.ts";
import type { Bucket, BucketWidth, TimeSpan } from "../../shared/calendar.ts";
import type { ExportColumn } from "../column.ts";
import type { ExportReader } from "../reader.ts";

/** The part of a game to export. */
export interface ExportScope {
  readonly game: Game;
  /** Each environment is exported separately; empty for all environments combined. */
  readonly environments: readonly string[];
  /** The time range; null for datasets without time and for games without rows. */
  readonly span: TimeSpan | null;
  /** The estimated number of items in the range; undefined if it is unknown. */
  readonly items?: number;
  readonly by: BucketWidth;
  /** Whether each bucket becomes a separate part. */
  readonly split: boolean;
  /** Only the buckets that start at these times, unix ms, also if they have no rows (default: all that have rows). */
  readonly partitions?: readonly number[];
}

/** Rows that become one file. `bucket` is null if they are not from one bucket. */
export interface ExportPart<T> {
  readonly bucket: Bucket | null;
  readonly rows: AsyncIterable<readonly T[]>;
}

/** The size of a dataset in a time range. */
export interface DatasetExtent {
  readonly items: number;
  /** The earliest time of an item, unix ms. */
  readonly oldest: number;
  /** The maximum number of hours, days or weeks with items. */
  readonly buckets: number;
  /** The estimated number of buckets. If the dataset requests each build separately, the number of buckets and builds. */
  readonly groups: number;
}

export interface ItemCounter {
  /** What is counted: `session` or `insight`. */
  readonly itemName: string;
  /** Counts the items in a time range and in the environments of the scope. */
  count(reader: ExportReader, scope: ExportScope, span: Partial<TimeSpan>): Promise<number>;
  /** Whether items may be later than a range. After the extent of the range was read, this needs no further request. */
  mayHaveLater(reader: ExportReader, scope: ExportScope, span: Partial<TimeSpan>): Promise<boolean>;
}

export interface Dataset<T> {
  readonly name: string;
  readonly summary: string;
  /** What it contains, in the help of the command. */
  readonly help: string;
  /** In the order of all formats. New columns are only added at the end. */
  readonly columns: readonly ExportColumn<T>[];
  /** Whether the API can filter it by environment. */
  readonly hasEnvironments: boolean;
  /** Reads the size of a time range; null for datasets of which the API returns only the current state. */
  readonly extent:
    | ((
        reader: ExportReader,
        game: Game,
        span: Partial<TimeSpan>,
        by: BucketWidth,
      ) => Promise<DatasetExtent | null>)
    | null;
  /**
   * Set if the time of items is their arrival: after this time, ms, no further item appears with an earlier one. So what is
   * complete stays complete, and --lookback does not apply.
   */
  readonly settlingMs?: number;
  /** The time whose hour, day or week decides to which file a row belongs; absent if `extent` is null. */
  readonly partitionTime?: (reader: ExportReader, game: Game) => Promise<string>;
  /** Counts the items whose time decides which part they belong to; null if `extent` is null or nothing counts them. */
  readonly counter: ItemCounter | null;
  /** Estimates the requests. `extent` is null for datasets without time and for empty ones. */
  requests(scope: ExportScope, extent: DatasetExtent | null): number;
  /** The parts, earliest first. */
  parts(reader: ExportReader, scope: ExportScope): AsyncIterable<ExportPart<T>>;
}

/** Defines a dataset. The cast is safe, because columns only receive rows of the same dataset. */
export function defineDataset<T>(definition: Dataset<T>): Dataset<unknown> {
  return { ...definition, columns: definition.columns as readonly ExportColumn<unknown>[] };
}

/** The environment filters to use one after the other; undefined for all environments combined. */
export function toEnvironmentFilters({ environments }: ExportScope): readonly (string | undefined)[] {
  return environments.length === 0 ? [undefined] : environments;
}

/** The parts of a dataset without time: one part with the current state. */
export function snapshot<T>(rows: (reader: ExportReader, scope: ExportScope) => AsyncIterable<readonly T[]>) {
  return async function* (reader: ExportReader, scope: ExportScope): AsyncGenerator<ExportPart<T>> {
    yield { bucket: null, rows: rows(reader, scope) };
  };
}

/** The rows of a part that are in memory. */
export async function* yieldOnce<Row>(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  yield rows;
}

/** Compares by code units, which gives the same order on every machine. */
export function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
