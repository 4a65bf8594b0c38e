/** The structure of a report: sections of blocks that can be written as HTML or Markdown. Texts are not escaped. */
import type { ChartMood } from "../../charts/charts.ts";
import type { HeatmapView, RoomView } from "../../charts/heatmap-view.ts";
import type { ReportPart } from "../../charts/report.ts";
import { trimEndOf } from "../../shared/trim.ts";
import { truncateText } from "../text.ts";

const MAX_VERSION = 24;

export interface ReportCell {
  readonly text: string;
  readonly mood?: ChartMood;
  /** Whether the text is an id or a version, shown in a monospaced font. */
  readonly code?: true;
  /** An id shown below the text. */
  readonly under?: string;
  /** Whether the cell stands out. */
  readonly strong?: true;
  /** Whether the cell has a line of its own in a list. */
  readonly line?: true;
  /** The address that the cell links to. */
  readonly href?: string;
}

export interface ReportColumn {
  readonly title: string;
  readonly right?: true;
  /** Whether the column is never wrapped. */
  readonly tight?: true;
  /** Whether the column is hidden on a narrow screen. */
  readonly wide?: true;
}

export interface TableBlock {
  readonly kind: "table";
  /** Describes the table for screen readers. */
  readonly caption: string;
  readonly columns: readonly ReportColumn[];
  /** Groups of rows. A title may be empty. The first cell of a row is its heading. */
  readonly groups: readonly {
    readonly title: string;
    readonly mood: ChartMood;
    readonly rows: ReadonlyArray<readonly ReportCell[]>;
  }[];
}

export type ReportBlock =
  | { readonly kind: "text"; readonly text: string }
  /** Explains how to read what follows. */
  | { readonly kind: "note"; readonly text: string }
  /** Says why a part is not available. */
  | { readonly kind: "missing"; readonly text: string }
  | { readonly kind: "heading"; readonly text: string }
  | { readonly kind: "list"; readonly items: ReadonlyArray<readonly ReportCell[]> }
  | {
      readonly kind: "quotes";
      readonly quotes: readonly { readonly text: string; readonly source: string }[];
    }
  /** The rooms of the heatmap, each also described in words. */
  | {
      readonly kind: "rooms";
      /** Explains the pictures, for formats that have any. */
      readonly colors: string;
      /** Explains the descriptions, for formats without pictures. */
      readonly note: string;
      readonly rooms: readonly {
        readonly room: RoomView;
        readonly view: HeatmapView;
        readonly description: string;
      }[];
    }
  | { readonly kind: "facts"; readonly facts: readonly ReportFact[] }
  | TableBlock;

export interface ReportSection {
  readonly id: string;
  readonly title: string;
  readonly mood?: ChartMood;
  readonly blocks: readonly ReportBlock[];
}

/** A number with its name. */
export interface ReportFact {
  readonly label: string;
  readonly value: string;
}

export interface ReportDocument {
  readonly title: string;
  readonly verdict: {
    readonly state: "passed" | "failed" | "inconclusive";
    /** What the comparison says, in one line. */
    readonly answer: string;
    /** What the gate says, in one line. */
    readonly gate: string;
    /** Game, environment and testers. */
    readonly scope: string;
    /** Why nothing could be decided. */
    readonly reasons: readonly string[];
  };
  /** What everybody reads. */
  readonly cards: readonly ReportSection[];
  /** What is folded. */
  readonly sections: readonly ReportSection[];
  readonly footer: string;
}

/** The blocks of a part, or a block that says why the part is not available. `what` is a plural or a mass noun. */
export function blocksOrMissing<T>(
  part: ReportPart<T>,
  what: string,
  blocks: (value: T) => readonly ReportBlock[],
): readonly ReportBlock[] {
  if (part.ok) return blocks(part.value);
  const why = `${trimEndOf(part.why, ".")}.`;
  return [{ kind: "missing", text: `No ${what} available. ${why} ${part.hint}` }];
}

/** A version, truncated for the title of a column. */
export const versionTitle = (version: string) => truncateText(version, MAX_VERSION);

export const textCell = (text: string, more: Omit<ReportCell, "text"> = {}): ReportCell => ({
  text,
  ...more,
});
