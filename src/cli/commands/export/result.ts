/** What an export answers: the plan of a dry run, or what was written and what is missing. */
import { minutesOf } from "../../../client/deep-walk.ts";
import type { Missing, Series } from "../../../export/plan.ts";
import type { SeriesReport } from "../../../export/run.ts";
import type { Column } from "../../../render/columns.ts";
import { isoTime } from "../../../render/time.ts";
import { type Result, tableOf } from "../../command.ts";
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

const planColumns: readonly Column<PlannedRow>[] = [
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

function plannedRow({ dataset, scope, first, requests, files }: Series): PlannedRow {
  const { game, span } = scope;
  return { dataset: dataset.name, game: game.slug, from: first, to: span?.to ?? null, files, requests };
}

export interface Estimate {
  /** About how many requests are still to come. */
  readonly requests: number;
  /** How long they take at the pace of the service; null without pace. */
  readonly minutes: number | null;
}

export function estimateOf(series: readonly Series[], paced: boolean): Estimate {
  const requests = series.reduce((sum, one) => sum + one.requests, 0);
  return { requests, minutes: paced ? minutesOf(requests) : null };
}

/** Such as `about 120 requests, 2 minutes`. */
export function estimateText({ requests, minutes }: Estimate): string {
  const time = minutes === null ? "" : minutes === 0 ? ", less than a minute" : `, ${minutes} min`;
  return `about ${requests} ${requests === 1 ? "request" : "requests"}${time}`;
}

/** The plan, where nothing is written. */
export function planResult(
  series: readonly Series[],
  missing: readonly Missing[],
  estimate: Estimate,
): Result {
  const rows = series.map(plannedRow);
  const data = { ...estimate, series: rows, missing: missing.map(missingRow) };
  return {
    data,
    items: rows,
    table: tableOf(rows, planColumns, "Nothing to export."),
    ...verdictOf(missing, "This is a plan: nothing is written."),
  };
}

const reportColumns: readonly Column<SeriesReport>[] = [
  textColumn("dataset", "DATASET", ({ dataset }) => dataset),
  textColumn("game", "GAME", ({ game }) => game, 1),
  textColumn("files", "FILES", ({ files }) => files),
  textColumn("open", "OPEN", ({ open }) => open),
  textColumn("rows", "ROWS", ({ rows }) => rows),
];

/** What was written; nothing of it goes to standard output where the rows themselves went there. */
export function runResult(
  reports: readonly SeriesReport[],
  missing: readonly Missing[],
  { requests, kind }: { readonly requests: number; readonly kind: Destination["kind"] },
): Result {
  const verdict = verdictOf(missing, rests[kind]);
  if (kind === "stdout") return { data: undefined, ...verdict };
  const data = { requests, series: reports, missing: missing.map(missingRow) };
  return {
    data,
    items: reports,
    table: tableOf(reports, reportColumns, "Nothing was exported."),
    ...verdict,
  };
}

export function missingRow({ dataset, game, error }: Missing) {
  return { dataset, game, code: toCliError(error).code, message: error.message };
}

/** What became of all that is not missing. */
const rests: Readonly<Record<Destination["kind"], string>> = {
  folder: "All else is written.",
  file: "The file is not written; one that was there before stays.",
  stdout: "All else was written.",
};

/** Incomplete where something is missing and something is not. */
function verdictOf(missing: readonly Missing[], rest: string): Pick<Result, "verdict"> {
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
