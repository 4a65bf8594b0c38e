/** What came of sending files: counts a file, what was refused, and what is missing. */
import type { TelemetryReceipt } from "../../contract/telemetry.ts";
import type { TableColumn } from "../../render/columns.ts";
import type { Result } from "../command.ts";
import { createTable } from "../command.ts";
import type { BadLine, TelemetryRequest } from "./requests.ts";

/** A line or event that was not taken. */
export interface RejectedItem {
  readonly line: number;
  readonly message: string;
}

/** What came of one file. */
export interface FileReport {
  readonly file: string;
  /** The line after which an earlier run was taken up; 0 from the start. */
  readonly resumedAfter: number;
  /** Distinct sessions the events went to. */
  sessions: number;
  accepted: number;
  duplicates: number;
  /** Events that were refused. */
  rejected: number;
  /** Lines that were not taken at all. */
  badLines: number;
  /** The first of what was refused. */
  readonly refusals: RejectedItem[];
  /** Why the rest of the file is missing; null where all of it was read. */
  failure: string | null;
}

/** How many refusals a report names. */
const MAX_REJECTIONS = 20;

export function createReport(file: string, resumedAfter: number): FileReport {
  return {
    file,
    resumedAfter,
    sessions: 0,
    accepted: 0,
    duplicates: 0,
    rejected: 0,
    badLines: 0,
    refusals: [],
    failure: null,
  };
}

export function addReceipt(report: FileReport, batch: TelemetryRequest, receipt: TelemetryReceipt): void {
  report.accepted += receipt.accepted;
  report.duplicates += receipt.duplicates;
  report.rejected += receipt.rejected.length;
  for (const { index, error } of receipt.rejected) {
    recordRejection(report, { line: batch.findLine(index), message: `event ${index}: ${error}` });
  }
}

export function addBadLine(report: FileReport, bad: BadLine): void {
  report.badLines += 1;
  recordRejection(report, bad);
}

/** A body the service refused as a whole. */
export function addRefusedBody(report: FileReport, batch: TelemetryRequest, error: Error): void {
  report.badLines += 1;
  report.rejected += batch.body.events.length;
  recordRejection(report, { line: batch.findLine(0), message: error.message });
}

function recordRejection(report: FileReport, refusal: RejectedItem): void {
  if (report.refusals.length < MAX_REJECTIONS) report.refusals.push({ ...refusal });
}

const columns: readonly TableColumn<FileReport>[] = [
  { key: "file", header: "FILE", value: ({ file }) => file, shrink: 1 },
  { key: "sessions", header: "SESSIONS", value: ({ sessions }) => sessions },
  { key: "accepted", header: "ACCEPTED", value: ({ accepted }) => accepted, style: "good" },
  { key: "duplicates", header: "DUPLICATES", value: ({ duplicates }) => duplicates },
  {
    key: "rejected",
    header: "REJECTED",
    value: ({ rejected }) => rejected,
    style: ({ rejected }) => (rejected > 0 ? "bad" : null),
  },
  {
    key: "badLines",
    header: "BAD LINES",
    value: ({ badLines }) => badLines,
    style: ({ badLines }) => (badLines > 0 ? "bad" : null),
  },
];

/** The result of a run over files: `incomplete` where anything was not taken. */
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
  const refused = data.rejected + data.badLines;
  const table = createTable(files, columns, "No files.");
  if (refused === 0 && failed.length === 0) return { data, table };
  const parts = [
    ...(data.badLines > 0 ? [formatCount(data.badLines, "line")] : []),
    ...(data.rejected > 0 ? [formatCount(data.rejected, "event")] : []),
    ...failed.map((file) => `the rest of ${file.file} (${file.failure})`),
  ];
  const message = `Incomplete: not taken: ${parts.join(", ")}`;
  const hint =
    "Everything else is stored. Mend what is named and run the command again; what is stored counts once.";
  return { data, table, verdict: { code: "incomplete", message, hint } };
}

function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
