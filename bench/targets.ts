/** What the program is held to, and what this run measured of it. */
import { print, ratio } from "./measure.ts";

/** A bound on a ratio, or on bytes. */
interface Target {
  readonly what: string;
  /** At least so much, or at most. */
  readonly bound: readonly ["at least" | "at most", number];
}

const targets = {
  heatmapOverDuckDb: {
    what: "full heatmap, times as fast as DuckDB's SQL on two threads",
    bound: ["at least", 3],
  },
  heatmapOverRows: { what: "full heatmap, times as fast as rows in SQLite", bound: ["at least", 25] },
  heatmapAgain: { what: "heatmap after one more batch, of the first", bound: ["at most", 0.02] },
  eventsOverDuckDb: {
    what: "event sums, times as fast as DuckDB on a row a session and name",
    bound: ["at least", 1],
  },
  ingest: {
    what: "ingest over HTTP, of a server that parses, checks and stores nothing",
    bound: ["at least", 0.5],
  },
  list: { what: "a page of 20 sessions, of node:http sending the same bytes", bound: ["at least", 0.22] },
  deepPage: { what: "the last page by time window, of the first page", bound: ["at most", 3] },
  positionBytes: { what: "a position on disk, counter-like ids, bytes", bound: ["at most", 24] },
  version: { what: "--version, of `node -e 0`", bound: ["at most", 1.2] },
  help: { what: "--help, of `node -e 0`", bound: ["at most", 1.2] },
  query: { what: "games list, of `node -e 0` (2.0 is the goal)", bound: ["at most", 2.5] },
} satisfies Readonly<Record<string, Target>>;
export type TargetName = keyof typeof targets;

const measured = new Map<TargetName, number>();

/** Notes what was measured of a target. */
export function note(name: TargetName, value: number): void {
  measured.set(name, value);
}

/** Prints each target beside what was measured. */
export function printTargets(): void {
  const rows = Object.entries<Target>(targets).map(
    ([
      name,
      {
        what,
        bound: [side, bound],
      },
    ]) => {
      const value = measured.get(name as TargetName);
      const reached = value !== undefined && (side === "at least" ? value >= bound : value <= bound);
      const told =
        value === undefined ? ["-", "not measured"] : [ratio(value), reached ? "reached" : "NOT reached"];
      return [what, `${side} ${bound}`, ...told];
    },
  );
  print("Targets", [["", "target", "measured", ""], ...rows]);
}
