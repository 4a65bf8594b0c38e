/** Sends the batches of files, one after the other, and tells how far it is. */
import type { TelemetryReceipt } from "../../contract/telemetry.ts";
import type { Context } from "../context.ts";
import { CliError } from "../errors.ts";
import { translateError } from "../translate-error.ts";
import { readLines, type TextLine } from "./lines.ts";
import { addBadLine, addReceipt, addRefusedBody, createReport, type FileReport } from "./report.ts";
import { buildRequests, type TelemetryRequest } from "./requests.ts";

/** Where a run over a file stands: what a later run goes on from. */
export interface Bookmark {
  /** The last line whose events are stored; 0 before the first. */
  readonly line: number;
  /** Keeps the place. */
  save(line: number): Promise<void>;
  /** Forgets it: the file is through. */
  clear(): Promise<void>;
}

/** Stores one batch. */
export type SendBody = (body: TelemetryRequest["body"]) => Promise<TelemetryReceipt>;

/** Errors of one body alone; every further one would meet any other. */
const BODY_ERRORS = new Set(["bad_request", "conflict", "payload_too_large", "usage"]);

/** Sends one file, or its lines where they are read already, from its bookmark on. Throws what ends the whole run. */
export async function sendFile(
  file: string,
  context: Context,
  store: SendBody,
  bookmark: Bookmark,
  lines: AsyncIterable<TextLine> = readLines(file, context.io),
): Promise<FileReport> {
  const report = createReport(file, bookmark.line);
  const sessions = new Set<string>();
  const started = context.io.now();
  try {
    for await (const item of buildRequests(skipLines(lines, bookmark.line))) {
      context.io.signal.throwIfAborted();
      if ("message" in item) {
        addBadLine(report, item);
        await context.notify(`${file}:${item.line}: ${item.message}`);
        continue;
      }
      await sendBatch(item, report, sessions, context, store);
      await bookmark.save(item.throughLine);
      await showProgress(context, report, item, started);
    }
    await bookmark.clear();
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== "incomplete") throw error;
    report.failure = error.message;
    await context.notify(`error: ${error.message}`);
  }
  report.sessions = sessions.size;
  return report;
}

async function* skipLines(lines: AsyncIterable<TextLine>, line: number): AsyncGenerator<TextLine> {
  for await (const one of lines) if (one.number > line) yield one;
}

async function sendBatch(
  batch: TelemetryRequest,
  report: FileReport,
  sessions: Set<string>,
  context: Context,
  store: SendBody,
): Promise<void> {
  const named = report.refusals.length;
  try {
    const receipt = await store(batch.body);
    sessions.add(receipt.sessionId);
    addReceipt(report, batch, receipt);
  } catch (error) {
    const refusal = translateError(error);
    if (refusal === null || !BODY_ERRORS.has(refusal.code)) throw error;
    addRefusedBody(report, batch, refusal);
  }
  for (const { line, message } of report.refusals.slice(named))
    await context.notify(`${report.file}:${line}: ${message}`);
}

async function showProgress(
  context: Context,
  report: FileReport,
  batch: TelemetryRequest,
  started: number,
): Promise<void> {
  const events = report.accepted + report.duplicates;
  const seconds = Math.max(0.001, (context.io.now() - started) / 1000);
  const rate = Math.round(events / seconds).toLocaleString("en");
  await context.progress(
    `${report.file}: line ${batch.throughLine}, ${events.toLocaleString("en")} events, ${rate} a second`,
  );
}
