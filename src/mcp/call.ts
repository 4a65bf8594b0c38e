/** One call of a tool: its arguments checked, the API asked within the call's deadline, the answer or the fault told. */
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { type ClientOptions, callEndpoint } from "../client/client.ts";
import { ClientError } from "../client/errors.ts";
import { findIgnoredExtensions } from "../contract/applied.ts";
import type { Endpoint } from "../contract/define.ts";
import type { Heatmap } from "../contract/heatmaps.ts";
import { parseTime, TIME_SYNTAX } from "../shared/times.ts";
import { errorResult } from "./error-results.ts";
import { getBodyShape } from "./json-schemas.ts";
import { buildReadResult, buildWriteResult, MAX_CHARS, MIN_CHARS } from "./tool-result.ts";
import { IMAGE_ARGUMENT, type Tool } from "./tools.ts";

/** What calls work with. */
export interface CallOptions {
  /** How the API is reached; signal and waits are each call's own, and end with the server that it came by. */
  readonly client: ClientOptions;
  /** How long one call may take, waits for the rate limit included, ms. */
  readonly deadlineMs: number;
  /** Characters of an answer where a call asks for no number. */
  readonly maxChars: number;
  /** Draws a heatmap as PNG; null where nothing can. */
  readonly drawHeatmap: ((heatmap: Heatmap) => Promise<Uint8Array>) | null;
  /** The clock that ages count back from, unix ms. */
  readonly now: () => number;
  /** Told of faults that are no answers of the service. */
  readonly report: (message: string, error: unknown) => void;
}

/** What the protocol knows of one call. */
export interface CallContext {
  /** Aborted when the client cancels or goes. */
  readonly signal: AbortSignal;
  /** Tells the client why its call still waits; null where it did not ask to be told. */
  readonly progress: ((message: string) => Promise<void>) | null;
}

/** While a call waits, its client is told this often, ms: clients give up on what is silent. */
const PROGRESS_INTERVAL_MS = 5000;

/** How long a call may take unless told: below the minute after which clients give up, ms. */
export const DEFAULT_DEADLINE_MS = 50_000;

type ToolArguments = Readonly<Record<string, unknown>>;

/** Calls a tool; whatever goes wrong is a result too. Rejects with the signal's reason alone. */
export async function callTool(
  { endpoint }: Tool,
  args: ToolArguments,
  options: CallOptions,
  context: CallContext,
): Promise<CallToolResult> {
  try {
    const { input, asked } = parseArguments(endpoint, args, options);
    const answer = await callApi(endpoint, input, options, context);
    if (endpoint.method !== "GET") return buildWriteResult(endpoint, answer);
    const result = noteIgnoredParameters(
      buildReadResult(endpoint, answer, asked),
      findIgnoredExtensions(endpoint, input, answer),
    );
    return args[IMAGE_ARGUMENT] === true ? await appendImage(result, answer as Heatmap, options) : result;
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof ClientError)) options.report(`tool ${endpoint.tool}`, error);
    return errorResult(error, endpoint, args);
  }
}

/** Asks the API, waiting out its rate limit within the deadline. */
export async function callApi(
  endpoint: Endpoint,
  input: Record<string, unknown>,
  { client, deadlineMs }: Pick<CallOptions, "client" | "deadlineMs">,
  { signal, progress }: CallContext,
): Promise<unknown> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(deadlineError(deadlineMs)), deadlineMs);
  const follow = () => stop.abort(signal.reason);
  if (signal.aborted) follow();
  signal.addEventListener("abort", follow, { once: true });
  try {
    return await callEndpoint(endpoint, input, {
      ...client,
      signal: stop.signal,
      timeoutMs: Math.min(client.timeoutMs, deadlineMs),
      maxWaitMs: deadlineMs,
      waiting: reportWaits(client.waiting, progress),
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", follow);
  }
}

function deadlineError(deadlineMs: number): ClientError {
  return new ClientError("timeout", `The call took longer than ${deadlineMs / 1000} s`);
}

/** Waits whose reason and length the client is told. */
function reportWaits(
  waiting: ClientOptions["waiting"],
  tell: CallContext["progress"],
): ClientOptions["waiting"] {
  if (tell === null) return waiting;
  let why = "Waiting";
  return {
    random: () => waiting.random(),
    onWait(reason, ms) {
      why = reason;
      waiting.onWait(reason, ms);
    },
    async sleep(ms, signal) {
      for (let left = ms; left > 0; left -= PROGRESS_INTERVAL_MS) {
        await tell(`${why}: trying again in ${Math.ceil(left / 1000)} s`);
        await waiting.sleep(Math.min(left, PROGRESS_INTERVAL_MS), signal);
      }
    },
  };
}

/** The endpoint's own input, and how much of its answer is wanted. Throws `invalid_input` naming what is not taken. */
function parseArguments(
  endpoint: Endpoint,
  args: ToolArguments,
  { maxChars, now }: Pick<CallOptions, "maxChars" | "now">,
) {
  const {
    max_chars: chars = maxChars,
    part = null,
    skip = 0,
    [IMAGE_ARGUMENT]: image = false,
    ...own
  } = args;
  const known = { ...endpoint.params.shape, ...endpoint.query.shape, ...getBodyShape(endpoint) };
  const unknown = Object.keys(own).find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined || (image !== false && endpoint.name !== "getHeatmap")) {
    const there = Object.keys(known).join(", ") || "none";
    throw new ClientError(
      "invalid_input",
      `There is no argument ${JSON.stringify(unknown ?? IMAGE_ARGUMENT)}; there are: ${there}`,
    );
  }
  const within = (value: unknown, least: number, most: number): value is number =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
  if (!within(chars, MIN_CHARS, MAX_CHARS))
    throw new ClientError(
      "invalid_input",
      `max_chars must be a whole number from ${MIN_CHARS} to ${MAX_CHARS}`,
    );
  if (!within(skip, 0, Number.MAX_SAFE_INTEGER))
    throw new ClientError("invalid_input", "skip must be a whole number from 0");
  if (part !== null && typeof part !== "string")
    throw new ClientError("invalid_input", "part must be a text");
  if (part === null && skip > 0)
    throw new ClientError("invalid_input", "skip needs part, the list or text to pass over");
  if (typeof image !== "boolean") throw new ClientError("invalid_input", "image must be true or false");
  const offset = typeof own.offset === "number" ? own.offset : 0;
  return { input: parseInput(endpoint, own, now()), asked: { chars, part, skip, offset } };
}

/** Times may be written as at the command line; a body is checked here, for the client sends it as it is. */
function parseInput(endpoint: Endpoint, own: ToolArguments, now: number): Record<string, unknown> {
  if (endpoint.method !== "GET") {
    const body = endpoint.body.safeParse(own);
    if (body.success) return { body: body.data };
    const told = body.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
    throw new ClientError("invalid_input", told.join("; "));
  }
  const input: Record<string, unknown> = { ...own };
  for (const name of ["from", "to"]) {
    const given = own[name];
    if (typeof given !== "string") continue;
    const time = parseTime(given, now, "UTC");
    if (time === null)
      throw new ClientError("invalid_input", `${name} ${JSON.stringify(given)} is not ${TIME_SYNTAX}`);
    input[name] = time;
  }
  return input;
}

async function appendImage(
  result: CallToolResult,
  heatmap: Heatmap,
  { drawHeatmap }: CallOptions,
): Promise<CallToolResult> {
  if (drawHeatmap === null) return appendText(result, "No image: pictures cannot be drawn here.");
  if (heatmap.rooms.length === 0) return appendText(result, "No image: there are no positions.");
  const data = Buffer.from(await drawHeatmap(heatmap)).toString("base64");
  return { ...result, content: [...result.content, { type: "image", data, mimeType: "image/png" }] };
}

/** Says which parameters an older service ignored: what it answered is not narrowed by them. */
function noteIgnoredParameters(result: CallToolResult, ignored: readonly string[]): CallToolResult {
  if (ignored.length === 0) return result;
  const text = `This service is older and ignored ${ignored.join(", ")}: the answer is not narrowed by it. What the answer lacks is unknown.`;
  const { _notice: notice, ...rest } = result.structuredContent ?? {};
  return appendText({ ...result, structuredContent: { ...rest, _notice: `${notice} ${text}` } }, text);
}

function appendText(result: CallToolResult, text: string): CallToolResult {
  return { ...result, content: [...result.content, { type: "text", text }] };
}
