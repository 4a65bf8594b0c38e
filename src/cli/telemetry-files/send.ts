/** Sends telemetry files, one request after another, and shows the progress. */
import { ClientError } from "../../client/errors.ts";
import { findEventFault } from "../../contract/event-faults.ts";
import type { TelemetryReceipt } from "../../contract/telemetry.ts";
import { formatName } from "../../shared/similar-names.ts";
import type { Context } from "../context.ts";
import { CliError, fail } from "../errors.ts";
import { translateError } from "../translate-error.ts";
import { describeSource } from "./bytes.ts";
import { readLines, type TextLine } from "./lines.ts";
import { addBadLine, addReceipt, addRejectedRequest, createReport, type FileReport } from "./report.ts";
import { type BadLine, buildRequests, type TelemetryRequest } from "./requests.ts";

/** The position in a file from which a later run continues. */
export interface Bookmark {
  /** The last line whose events are stored; 0 before the first. */
  readonly line: number;
  save(line: number): Promise<void>;
  /** Deletes the position, after the whole file was sent. */
  clear(): Promise<void>;
}

/** Sends or stores one request body. */
export type SendBody = (body: TelemetryRequest["body"]) => Promise<TelemetryReceipt>;

/** The sessions that received data in this run. */
interface SentSessions {
  readonly ids: Set<string>;
  /** The `clientSessionId` of their requests. */
  readonly clientIds: Set<unknown>;
}

/** Errors that only concern one request. Any other error would also affect all further requests. */
const REQUEST_ERRORS = new Set(["bad_request", "conflict", "payload_too_large", "usage"]);

/**
 * Sends one file from its bookmark. Pass `lines` if the file is already open, and the `game` of lines that name none. Throws
 * errors that end the whole run.
 */
export async function sendFile(
  file: string,
  context: Context,
  store: SendBody,
  bookmark: Bookmark,
  {
    lines = readLines(file, context.io),
    game,
  }: { lines?: AsyncIterable<TextLine>; game?: string | undefined } = {},
): Promise<FileReport> {
  const requests = buildRequests(skipLines(lines, bookmark.line), game);
  return await sendRequests(file, context, store, bookmark, requests);
}

/** Sends the requests that a file consists of, and reports its bad lines. Throws errors that end the whole run. */
export async function sendRequests(
  file: string,
  context: Context,
  store: SendBody,
  bookmark: Bookmark,
  requests: AsyncIterable<TelemetryRequest | BadLine>,
): Promise<FileReport> {
  const report = createReport(file, bookmark.line);
  const sessions: SentSessions = { ids: new Set(), clientIds: new Set() };
  const started = context.io.monotonicNow();
  try {
    for await (const item of requests) {
      context.io.signal.throwIfAborted();
      if ("message" in item) {
        addBadLine(report, item);
        await context.notify(`${describeLine(file, item.line)}: ${item.message}`);
        continue;
      }
      await sendRequest(item, report, sessions, context, store);
      await bookmark.save(item.throughLine);
      await showProgress(context, report, item, started);
    }
    await bookmark.clear();
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== "incomplete") throw error;
    report.failure = error.message;
    await context.notify(`error: ${error.message}`);
  }
  report.sessions = sessions.ids.size;
  return report;
}

async function* skipLines(lines: AsyncIterable<TextLine>, line: number): AsyncGenerator<TextLine> {
  for await (const textLine of lines) if (textLine.number > line) yield textLine;
}

async function sendRequest(
  request: TelemetryRequest,
  report: FileReport,
  sessions: SentSessions,
  context: Context,
  store: SendBody,
): Promise<void> {
  const previousCount = report.refusals.length;
  try {
    const rejected = findRejectedEvents(request, sessions);
    if (rejected === null) {
      const receipt = await store(request.body);
      if (receipt.sessionId !== null) sessions.ids.add(receipt.sessionId);
      sessions.clientIds.add(request.body.clientSessionId);
      addReceipt(report, request, receipt);
    } else {
      addReceipt(report, request, { accepted: 0, duplicates: 0, rejected });
    }
  } catch (error) {
    const rejection = translateError(error);
    if (rejection === null || !REQUEST_ERRORS.has(rejection.code))
      throw rejection?.code === "not_found" ? notFoundError(report.file, request, rejection) : error;
    addRejectedRequest(report, request, rejection);
  }
  for (const { line, message } of report.refusals.slice(previousCount))
    await context.notify(`${describeLine(report.file, line)}: ${message}`);
}

/**
 * The faults of all events, if none is valid and the request would create a session; otherwise null. Such a request is
 * not sent, because the service would store a session without events.
 */
function findRejectedEvents(
  { body }: TelemetryRequest,
  { clientIds }: SentSessions,
): TelemetryReceipt["rejected"] | null {
  const { events, sessionId, clientSessionId } = body;
  if (events.length === 0 || sessionId !== undefined || clientIds.has(clientSessionId)) return null;
  const rejected = events.flatMap((event, index) => {
    const error = findEventFault(event);
    return error === null ? [] : [{ index, error }];
  });
  return rejected.length === events.length ? rejected : null;
}

/** The hint for a session id that the service does not know. */
export const UNKNOWN_SESSION_HINT = "Use clientSessionId for a session that the service does not know yet.";
/** The key that sent the telemetry cannot list games. */
const UNKNOWN_GAME_HINT = "Run `playtest games list` with a management key to see the account's games.";

/**
 * The error for a game or session that does not exist. It usually also concerns the following lines, so it ends the run.
 * The service does not report which of the two is missing.
 */
function notFoundError(file: string, { body, locate }: TelemetryRequest, cause: CliError): CliError {
  const { gameId, sessionId } = body;
  const names = [
    ...(typeof gameId === "string" ? [`game ${formatName(gameId)}`] : []),
    ...(typeof sessionId === "string" ? [`session ${formatName(sessionId)}`] : []),
  ].join(" or ");
  // A service only says that something does not exist; a local import says what.
  const isFromService = cause.cause instanceof ClientError && /^no (game|session) /i.test(cause.message);
  const isGeneric = (isFromService || /^not found/i.test(cause.message)) && names !== "";
  const problem = isGeneric ? `No ${names}` : cause.message;
  const hints = [
    ...(typeof gameId === "string" ? [UNKNOWN_GAME_HINT] : []),
    ...(typeof sessionId === "string" ? [UNKNOWN_SESSION_HINT] : []),
  ].join(" ");
  const { status, requestId } = cause;
  const hint = isGeneric ? hints : cause.hint;
  return fail("not_found", {
    message: `${describeLine(file, locate(0).line)}: ${problem}`,
    hint,
    status,
    requestId,
    cause,
  });
}

/** A line of a file at the start of a message. */
function describeLine(file: string, line: number): string {
  return `${describeSource(file)}, line ${line}`;
}

async function showProgress(
  context: Context,
  report: FileReport,
  request: TelemetryRequest,
  started: number,
): Promise<void> {
  const events = report.accepted + report.duplicates;
  const seconds = Math.max(0.001, (context.io.monotonicNow() - started) / 1000);
  const rate = Math.round(events / seconds).toLocaleString("en");
  await context.progress(
    `${report.file}: line ${request.throughLine}, ${events.toLocaleString("en")} events, ${rate} per second`,
  );
}
