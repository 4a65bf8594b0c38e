/** The job of an export: what to export, and from when. */
import type { Game } from "../contract/games.ts";
import type { BucketWidth } from "../shared/calendar.ts";
import type { FolderInspector } from "./files/inspect-folder.ts";
import type { ExportState } from "./state.ts";

/** The resolved options of an export. */
export interface ExportJob {
  readonly datasets: readonly string[];
  readonly games: readonly Game[];
  readonly environments: readonly string[];
  readonly by: BucketWidth;
  /** Unix ms; by default, everything up to now. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** Unix ms. A bucket that ends later is open. */
  readonly now: number;
  /** Whether every bucket becomes a separate file. */
  readonly split: boolean;
  /** The state between runs; null without --since-last. */
  readonly state: ExportState | null;
  /** How much of the completed time to export again, ms; by default, none if the service reports changes. */
  readonly lookbackMs: number | undefined;
  /** Checks the files of earlier runs; null without --since-last. */
  readonly folder: FolderInspector | null;
}
