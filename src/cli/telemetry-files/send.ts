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
import { type BadLine, buildRequests, type TelemetryRequest, yieldErrorLast } from "./requests.ts";

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

/** The outcome of one request. */
type Answer = { readonly receipt: TelemetryReceipt } | { readonly error: unknown };

interface SentRequest {
  readonly request: TelemetryRequest;
  readonly answer: Promise<Answer>;
}

/** How much may be sent before the responses to earlier requests are reported. */
export interface SendAhead {
  readonly requests: number;
  readonly events: number;
}
const ONE_AT_A_TIME: SendAhead = { requests: 1, events: 0 };

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
    ahead,
  }: { lines?: AsyncIterable<TextLine>; game?: string | undefined; ahead?: SendAhead } = {},
): Promise<FileReport> {
  const requests = buildRequests(skipLines(lines, bookmark.line), game);
  return await sendRequests(file, context, store, bookmark, requests, ahead);
}

/** Sends the requests that a file consists of, and reports its bad lines. Throws errors that end the whole run. */
export async function sendRequests(
  file: string,
  context: Context,
  store: SendBody,
  bookmark: Bookmark,
  requests: AsyncIterable<TelemetryRequest | BadLine>,
  ahead: SendAhead = ONE_AT_A_TIME,
): Promise<FileReport> {
  const report = createReport(file, bookmark.line);
  const sessionIds = new Set<string>();
  const started = context.io.monotonicNow();
  try {
    for await (const item of sendInOrder(requests, store, ahead)) {
      context.io.signal.throwIfAborted();
      if ("message" in item) {
        addBadLine(report, item);
        await context.notify(`${describeLine(file, item.line)}: ${item.message}`);
        continue;
      }
      await reportAnswer(item, report, sessionIds, context);
      await bookmark.save(item.request.throughLine);
      await showProgress(context, report, item.request, started);
    }
    await bookmark.clear();
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== "incomplete") throw error;
    report.failure = error.message;
    await context.notify(`error: ${error.message}`);
  }
  report.sessions = sessionIds.size;
  return report;
}

/**
 * Sends requests, and yields them and the bad lines in the order of the input. Sends up to `ahead` before the first of them is
 * taken. If reading fails, first yields what was read before. All responses have arrived when it ends.
 */
async function* sendInOrder(
  requests: AsyncIterable<TelemetryRequest | BadLine>,
  store: SendBody,
  ahead: SendAhead,
): AsyncGenerator<SentRequest | BadLine> {
  const clientIds = new Set<unknown>();
  const sent: (SentRequest | BadLine)[] = [];
  let events = 0;
  try {
    for await (const item of yieldErrorLast(requests)) {
      if ("error" in item) {
        yield* sent;
        throw item.error;
      }
      sent.push("message" in item ? item : { request: item, answer: sendRequest(item, clientIds, store) });
      events += countEvents(sent.at(-1));
      while (sent[0] && (sent.length >= ahead.requests || events >= ahead.events)) {
        yield sent[0];
        events -= countEvents(sent.shift());
      }
    }
    yield* sent;
  } finally {
    await Promise.all(sent.map((item) => ("message" in item ? null : item.answer)));
  }
}

const countEvents = (item: SentRequest | BadLine | undefined): number =>
  item === undefined || "message" in item ? 0 : item.request.body.events.length;

async function* skipLines(lines: AsyncIterable<TextLine>, line: number): AsyncGenerator<TextLine> {
  for await (const textLine of lines) if (textLine.number > line) yield textLine;
}

/** `clientIds` has the `clientSessionId` of each request that was sent. */
async function sendRequest(
  request: TelemetryRequest,
  clientIds: Set<unknown>,
  store: SendBody,
): Promise<Answer> {
  const rejected = findRejectedEvents(request, clientIds);
  if (rejected !== null) return { receipt: { sessionId: null, accepted: 0, duplicates: 0, rejected } };
  clientIds.add(request.body.clientSessionId);
  try {
    return { receipt: await store(request.body) };
  } catch (error) {
    return { error };
  }
}

/** Adds the outcome of a request to the report. Throws errors that end the whole run. */
async function reportAnswer(
  { request, answer }: SentRequest,
  report: FileReport,
  sessionIds: Set<string>,
  context: Context,
): Promise<void> {
  const previousCount = report.refusals.length;
  const outcome = await answer;
  if ("receipt" in outcome) {
    const { sessionId } = outcome.receipt;
    if (sessionId !== null) sessionIds.add(sessionId);
    addReceipt(report, request, outcome.receipt);
  } else {
    const rejection = translateError(outcome.error);
    if (rejection === null || !REQUEST_ERRORS.has(rejection.code))
      throw rejection?.code === "not_found" ? notFoundError(report.file, request, rejection) : outcome.error;
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
  clientIds: ReadonlySet<unknown>,
): TelemetryReceipt["rejected"] | null {
  const { events, sessionId, clientSessionId } = body;
  if (events.length === 0 || sessionId !== undefined || clientIds.has(clientSessionId)) return null;
  if (events.some((event) => findEventFault(event) === null)) return null;
  return events.map((event, index) => ({ index, error: findEventFault(event) ?? "" }));
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
