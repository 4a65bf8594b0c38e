/** The result of an export: the plan of a dry run, or a report of what was written and what is missing. */
import { estimateMinutes } from "../../../client/time-pagination.ts";
import type { ExportSeries, MissingSeries } from "../../../export/export-plan.ts";
import type { LeftOut } from "../../../export/files/manifest.ts";
import type { SeriesReport } from "../../../export/run.ts";
import { formatCount } from "../../../render/numbers.ts";
import { defineColumns } from "../../../render/tables/columns.ts";
import { isoTime } from "../../../render/time.ts";
import { createTable, type Result } from "../../command.ts";
import { toCliError } from "../../translate-error.ts";
import type { Destination } from "./options.ts";

interface PlannedRow {
  readonly dataset: string;
  readonly game: string;
  /** Unix ms; null for datasets without time and for series without rows. */
  readonly from: number | null;
  readonly to: number | null;
  /** The maximum number of files. */
  readonly files: number;
  readonly requests: number;
  readonly leftOut: LeftOut | null;
}

const planColumns = defineColumns<PlannedRow>({
  dataset: { header: "DATASET" },
  game: { header: "GAME", shrink: 1 },
  from: { header: "FROM", align: "left", format: ({ from }) => isoTime(Number(from)) },
  to: { header: "TO", align: "left", format: ({ to }) => isoTime(Number(to)) },
  files: { header: "FILES" },
  requests: { header: "REQUESTS" },
});

function toPlannedRow({ dataset, scope, first, leftOut, ...counts }: ExportSeries): PlannedRow {
  const { game, span } = scope;
  const { files, requests } = counts;
  const range = { from: first, to: span?.to ?? null };
  return { dataset: dataset.name, game: game.slug, ...range, files, requests, leftOut };
}

/**
 * Describes what the time range of a series leaves out, such as `Not included in sessions of ember: 3 sessions before
 * 2026-02-27T00:00:00Z, 1 session in the future`. Null if it leaves out nothing.
 */
export function describeLeftOut({ dataset, scope, requested, leftOut }: ExportSeries): string | null {
  if (leftOut === null || requested === null) return null;
  const { name, counter } = dataset;
  const reasons = [
    [leftOut.before, `before ${isoTime(requested.from)}`],
    [leftOut.after, `after ${isoTime(requested.to)}`],
    [leftOut.future, "in the future"],
  ] as const;
  const parts = reasons.flatMap(([count, reason]) =>
    count > 0 ? `${formatCount(count, counter?.itemName ?? "item")} ${reason}` : [],
  );
  return parts.length === 0 ? null : `Not included in ${name} of ${scope.game.slug}: ${parts.join(", ")}`;
}

interface RequestEstimate {
  /** The estimated number of requests that remain. */
  readonly requests: number;
  /** How long they take at the service's rate limit; null without pacing. */
  readonly minutes: number | null;
}

export function estimateRequests(series: readonly ExportSeries[], paced: boolean): RequestEstimate {
  const requests = series.reduce((sum, { requests: count }) => sum + count, 0);
  return { requests, minutes: paced ? estimateMinutes(requests) : null };
}

/** Such as `about 120 requests, 2 min`. */
export function formatEstimate({ requests, minutes }: RequestEstimate): string {
  const time = minutes === null ? "" : minutes === 0 ? ", less than a minute" : `, ${minutes} min`;
  return `about ${requests} ${requests === 1 ? "request" : "requests"}${time}`;
}

/** The result of a dry run. */
export function planResult(
  series: readonly ExportSeries[],
  missing: readonly MissingSeries[],
  estimate: RequestEstimate,
): Result {
  const rows = series.map(toPlannedRow);
  const data = { ...estimate, series: rows, missing: missing.map(toMissingRow) };
  return {
    data,
    items: rows,
    table: createTable(rows, planColumns, "Nothing to export."),
    ...buildVerdict(missing, "Dry run: nothing was written."),
  };
}

const reportColumns = defineColumns<SeriesReport>({
  dataset: { header: "DATASET" },
  game: { header: "GAME", shrink: 1 },
  files: { header: "FILES" },
  open: { header: "OPEN" },
  rows: { header: "ROWS" },
});

/** The columns for a single file. The report counts only files of a folder, but people also look for this one. */
const fileReportColumns = reportColumns.map((column) => {
  if (column.key === "files") return { ...column, format: () => "1" };
  return column.key === "open"
    ? { ...column, format: (open: string | number) => (Number(open) > 0 ? "1" : "0") }
    : column;
});

/** The columns for a single file that was not written because a game is missing. */
const unwrittenFileColumns = reportColumns.map((column) =>
  ["files", "open", "rows"].includes(column.key) ? { ...column, format: () => "0" } : column,
);

/** The result of a run. Prints no report if the rows went to standard output. */
export function runResult(
  reports: readonly SeriesReport[],
  missing: readonly MissingSeries[],
  { requests, kind }: { readonly requests: number; readonly kind: Destination["kind"] },
): Result {
  const verdict = buildVerdict(missing, restMessages[kind]);
  if (kind === "stdout") return { data: undefined, ...verdict };
  const data = { requests, series: reports, missing: missing.map(toMissingRow) };
  const fileColumns = missing.length > 0 ? unwrittenFileColumns : fileReportColumns;
  return {
    data,
    items: reports,
    table: createTable(reports, kind === "file" ? fileColumns : reportColumns, "Nothing was exported."),
    ...verdict,
  };
}

export function toMissingRow({ dataset, game, error }: MissingSeries) {
  return { dataset, game, code: toCliError(error).code, message: error.message };
}

/** What happened to the series that are not missing. */
const restMessages: Readonly<Record<Destination["kind"], string>> = {
  folder: "Everything else was written.",
  file: "The file was not written; an existing file is unchanged.",
  stdout: "Everything else was written.",
};

/** The verdict `incomplete` if some series are missing. */
function buildVerdict(missing: readonly MissingSeries[], rest: string): Pick<Result, "verdict"> {
  if (missing.length === 0) return {};
  const failures = missing.map(({ dataset, game, error }) => `${dataset} of ${game} (${error.message})`);
  return {
    verdict: {
      code: "incomplete",
      message: `Incomplete: could not export ${failures.join(", ")}`,
      hint: `${rest} Fix the listed problems and run the same command again.`,
    },
  };
}
