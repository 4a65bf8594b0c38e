/** What an export answers: the plan of a dry run, or what was written and what is missing. */
import { estimateMinutes } from "../../../client/time-pagination.ts";
import type { ExportSeries, MissingSeries } from "../../../export/plan.ts";
import type { SeriesReport } from "../../../export/run.ts";
import type { TableColumn } from "../../../render/columns.ts";
import { isoTime } from "../../../render/time.ts";
import { createTable, type Result } from "../../command.ts";
import { toCliError } from "../../translate-error.ts";
import { textColumn, timeColumn } from "../columns.ts";
import type { Destination } from "./options.ts";

interface PlannedRow {
  readonly dataset: string;
  readonly game: string;
  /** Unix ms; null where there is no time, or nothing in it. */
  readonly from: number | null;
  readonly to: number | null;
  /** At most. */
  readonly files: number;
  readonly requests: number;
}

const planColumns: readonly TableColumn<PlannedRow>[] = [
  textColumn("dataset", "DATASET", ({ dataset }) => dataset),
  textColumn("game", "GAME", ({ game }) => game, 1),
  // A plan is of exact times, at a terminal too.
  ...(["from", "to"] as const).map((key) => ({
    ...timeColumn<PlannedRow>(key, key.toUpperCase(), (row) => row[key]),
    format: (ms: string | number) => isoTime(Number(ms)),
  })),
  textColumn("files", "FILES", ({ files }) => files),
  textColumn("requests", "REQUESTS", ({ requests }) => requests),
];

function toPlannedRow({ dataset, scope, first, requests, files }: ExportSeries): PlannedRow {
  const { game, span } = scope;
  return { dataset: dataset.name, game: game.slug, from: first, to: span?.to ?? null, files, requests };
}

export interface RequestEstimate {
  /** About how many requests are still to come. */
  readonly requests: number;
  /** How long they take at the pace of the service; null without pace. */
  readonly minutes: number | null;
}

export function estimateRequests(series: readonly ExportSeries[], paced: boolean): RequestEstimate {
  const requests = series.reduce((sum, one) => sum + one.requests, 0);
  return { requests, minutes: paced ? estimateMinutes(requests) : null };
}

/** Such as `about 120 requests, 2 minutes`. */
export function formatEstimate({ requests, minutes }: RequestEstimate): string {
  const time = minutes === null ? "" : minutes === 0 ? ", less than a minute" : `, ${minutes} min`;
  return `about ${requests} ${requests === 1 ? "request" : "requests"}${time}`;
}

/** The plan, where nothing is written. */
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
    ...buildVerdict(missing, "This is a plan: nothing is written."),
  };
}

const reportColumns: readonly TableColumn<SeriesReport>[] = [
  textColumn("dataset", "DATASET", ({ dataset }) => dataset),
  textColumn("game", "GAME", ({ game }) => game, 1),
  textColumn("files", "FILES", ({ files }) => files),
  textColumn("open", "OPEN", ({ open }) => open),
  textColumn("rows", "ROWS", ({ rows }) => rows),
];

/** What was written; nothing of it goes to standard output where the rows themselves went there. */
export function runResult(
  reports: readonly SeriesReport[],
  missing: readonly MissingSeries[],
  { requests, kind }: { readonly requests: number; readonly kind: Destination["kind"] },
): Result {
  const verdict = buildVerdict(missing, restMessages[kind]);
  if (kind === "stdout") return { data: undefined, ...verdict };
  const data = { requests, series: reports, missing: missing.map(toMissingRow) };
  return {
    data,
    items: reports,
    table: createTable(reports, reportColumns, "Nothing was exported."),
    ...verdict,
  };
}

export function toMissingRow({ dataset, game, error }: MissingSeries) {
  return { dataset, game, code: toCliError(error).code, message: error.message };
}

/** What became of all that is not missing. */
const restMessages: Readonly<Record<Destination["kind"], string>> = {
  folder: "All else is written.",
  file: "The file is not written; one that was there before stays.",
  stdout: "All else was written.",
};

/** Incomplete where something is missing and something is not. */
function buildVerdict(missing: readonly MissingSeries[], rest: string): Pick<Result, "verdict"> {
  if (missing.length === 0) return {};
  const told = missing.map(({ dataset, game, error }) => `${dataset} of ${game} (${error.message})`);
  return {
    verdict: {
      code: "incomplete",
      message: `Incomplete: missing: ${told.join(", ")}`,
      hint: `${rest} Mend what is named and run the same command again.`,
    },
  };
}
