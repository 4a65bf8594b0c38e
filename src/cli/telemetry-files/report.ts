/** The report of sending files: counts per file, rejected items, and what is missing. */
import type { TelemetryReceipt } from "../../contract/telemetry.ts";
import { formatCount } from "../../render/numbers.ts";
import { defineColumns } from "../../render/tables/columns.ts";
import type { Result } from "../command.ts";
import { createTable } from "../command.ts";
import type { BadLine, TelemetryRequest } from "./requests.ts";

interface RejectedItem {
  readonly line: number;
  readonly message: string;
}

export interface FileReport {
  readonly file: string;
  /** The line after which the run continued an earlier one; 0 if it started at the beginning. */
  readonly resumedAfter: number;
  /** The number of distinct sessions. */
  sessions: number;
  accepted: number;
  duplicates: number;
  rejected: number;
  /** The number of lines that were rejected completely. */
  badLines: number;
  /** The first rejected items, at most 20. */
  readonly refusals: RejectedItem[];
  /** Why the rest of the file could not be read; null if all of it was. */
  failure: string | null;
}

/** The maximum number of rejected items in a report. */
const MAX_REJECTIONS = 20;

export function createReport(file: string, resumedAfter: number): FileReport {
  const none = { sessions: 0, accepted: 0, duplicates: 0, rejected: 0, badLines: 0 };
  return { file, resumedAfter, ...none, refusals: [], failure: null };
}

export function addReceipt(
  report: FileReport,
  request: TelemetryRequest,
  receipt: Omit<TelemetryReceipt, "sessionId">,
): void {
  report.accepted += receipt.accepted;
  report.duplicates += receipt.duplicates;
  report.rejected += receipt.rejected.length;
  for (const { index, error } of receipt.rejected) {
    const location = request.locate(index);
    const message = location.index === null ? error : `events[${location.index}]: ${error}`;
    recordRejection(report, { line: location.line, message });
  }
}

export function addBadLine(report: FileReport, bad: BadLine): void {
  report.badLines += 1;
  recordRejection(report, bad);
}

export function addRejectedRequest(report: FileReport, request: TelemetryRequest, error: Error): void {
  report.badLines += 1;
  report.rejected += request.body.events.length;
  recordRejection(report, { line: request.locate(0).line, message: error.message });
}

function recordRejection(report: FileReport, item: RejectedItem): void {
  if (report.refusals.length < MAX_REJECTIONS) report.refusals.push({ ...item });
}

const columns = defineColumns<FileReport>({
  file: { header: "FILE", shrink: 1 },
  sessions: { header: "SESSIONS" },
  accepted: { header: "NEW EVENTS", tone: "good" },
  duplicates: { header: "DUPLICATES" },
  rejected: { header: "REJECTED EVENTS", tone: ({ rejected }) => (rejected > 0 ? "bad" : null) },
  badLines: { header: "REJECTED LINES", tone: ({ badLines }) => (badLines > 0 ? "bad" : null) },
});

/** The result of sending files. The verdict is `incomplete` if anything was rejected or missing. */
export function toResult(files: readonly FileReport[]): Result {
  const sum = (field: "accepted" | "duplicates" | "rejected" | "badLines") =>
    files.reduce((total, file) => total + file[field], 0);
  const data = {
    accepted: sum("accepted"),
    duplicates: sum("duplicates"),
    rejected: sum("rejected"),
    badLines: sum("badLines"),
    files,
  };
  const failed = files.filter((file) => file.failure !== null);
  const rejected = data.rejected + data.badLines;
  const table = createTable(files, columns, "No files.");
  if (rejected === 0 && failed.length === 0) return { data, table };
  const parts = [
    ...(data.badLines > 0 ? [formatCount(data.badLines, "line")] : []),
    ...(data.rejected > 0 ? [formatCount(data.rejected, "event")] : []),
    ...failed.map((file) => `the rest of ${file.file} (${file.failure})`),
  ];
  const message = `Incomplete. Not stored: ${parts.join(", ")}`;
  const hasSessions = files.some(({ sessions }) => sessions > 0);
  const hint =
    data.accepted + data.duplicates > 0
      ? "Everything else is stored. Fix the input and run the command again; stored events are not stored twice."
      : `No events were stored${hasSessions ? ", only their sessions" : ""}. Fix the input and run the command again.`;
  return { data, table, verdict: { code: "incomplete", message, hint } };
}

/** Lists what an error left unsent, when the file at the index failed. */
export function describeUnsent(files: readonly string[], failed: number): string {
  const sent = files.slice(0, failed);
  const before = sent.length === 0 ? "" : `Sent: ${sent.join(", ")}. `;
  return `${before}Not sent, or sent in part: ${files.slice(failed).join(", ")}`;
}
