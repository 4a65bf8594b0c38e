/** What a report is made of, before it is a page or Markdown: sections of blocks, all text as it came. */

import type { ChartMood } from "../../charts/charts.ts";
import type { HeatmapView, RoomView } from "../../charts/heatmap-view.ts";
import { truncateText } from "../gate/words.ts";

const MAX_VERSION = 24;

/** One cell of a table. */
export interface ReportCell {
  readonly text: string;
  readonly mood?: ChartMood;
  /** A bar beside the text, -1 to 1. */
  readonly bar?: number;
  /** An id or a version: told in letters of one width. */
  readonly code?: true;
  /** An id that stands under the text. */
  readonly under?: string;
}

export interface ReportColumn {
  readonly title: string;
  readonly right?: true;
  /** Never broken into lines. */
  readonly tight?: true;
  /** Left out where the screen is narrow. */
  readonly wide?: true;
}

export interface TableBlock {
  readonly kind: "table";
  /** What the table tells, for whoever hears it. */
  readonly caption: string;
  readonly columns: readonly ReportColumn[];
  /** Rows in groups; a group's title may be empty. The first cell of a row is its heading. */
  readonly groups: readonly {
    readonly title: string;
    readonly mood: ChartMood;
    readonly rows: ReadonlyArray<readonly ReportCell[]>;
  }[];
}

export type ReportBlock =
  | { readonly kind: "text"; readonly text: string }
  /** Said beside: how to read what follows. */
  | { readonly kind: "note"; readonly text: string }
  /** A part that could not be had. */
  | { readonly kind: "missing"; readonly text: string }
  | { readonly kind: "heading"; readonly text: string }
  | { readonly kind: "list"; readonly items: ReadonlyArray<readonly ReportCell[]> }
  | {
      readonly kind: "quotes";
      readonly quotes: readonly { readonly text: string; readonly source: string }[];
    }
  /** The rooms of the heatmaps' difference; what each shows is told in words too. */
  | {
      readonly kind: "rooms";
      /** What the colours mean, for where there are any. */
      readonly colours: string;
      readonly rooms: readonly {
        readonly room: RoomView;
        readonly picture: HeatmapView;
        readonly told: string;
      }[];
    }
  | TableBlock;

export interface ReportSection {
  readonly id: string;
  readonly title: string;
  readonly blocks: readonly ReportBlock[];
}

/** A figure told at the top. */
export interface ReportFact {
  readonly label: string;
  readonly value: string;
  readonly mood: ChartMood;
}

export interface ReportDocument {
  readonly title: string;
  readonly subtitle: string;
  readonly verdict: {
    readonly state: "passed" | "failed" | "inconclusive";
    readonly title: string;
    readonly sentence: string;
    readonly reasons: readonly string[];
  };
  readonly facts: readonly ReportFact[];
  readonly sections: readonly ReportSection[];
  readonly footer: string;
}

/** A version as a column's title tells it. */
export const versionTitle = (version: string) => truncateText(version, MAX_VERSION);

/** A text cell. */
export const textCell = (text: string, more: Omit<ReportCell, "text"> = {}): ReportCell => ({
  text,
  ...more,
});
