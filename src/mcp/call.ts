/** Calls one tool: validates its arguments, calls the API within the deadline and builds the result or the error. */
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

/** Settings that all calls of a server share. */
export interface CallOptions {
  /** How to reach the API. Each call replaces the signal and the waiting behavior with its own. */
  readonly client: ClientOptions;
  /** The maximum duration of one call in ms, including waits for the rate limit. */
  readonly deadlineMs: number;
  /** The maximum size of a result in characters, unless the call sets `max_chars`. */
  readonly maxChars: number;
  /** Draws a heatmap as PNG; null if this server cannot draw images. */
  readonly drawHeatmap: ((heatmap: Heatmap) => Promise<Uint8Array>) | null;
  /** The current time in unix ms, which ages such as `7d` are relative to. */
  readonly now: () => number;
  /** Reports errors that did not come from the service, which are bugs in this program. */
  readonly report: (message: string, error: unknown) => void;
}

/** The protocol's side of one call. */
export interface CallContext {
  /** Aborted when the client cancels the call or disconnects. */
  readonly signal: AbortSignal;
  /** Sends the client a progress message; null if the client did not request progress. */
  readonly progress: ((message: string) => Promise<void>) | null;
}

/** How often a waiting call sends progress, ms. Clients time out calls that send nothing. */
const PROGRESS_INTERVAL_MS = 5000;

/** The default deadline of a call, ms. It is below 60 s, a common timeout of clients. */
export const DEFAULT_DEADLINE_MS = 50_000;

type ToolArguments = Readonly<Record<string, unknown>>;

/** Calls a tool. Errors are returned as results; it only rejects with the reason of an aborted `context.signal`. */
export async function callTool(
  { endpoint }: Tool,
  args: ToolArguments,
  options: CallOptions,
  context: CallContext,
): Promise<CallToolResult> {
  try {
    const { input, resultOptions } = parseArguments(endpoint, args, options);
    const response = await callApi(endpoint, input, options, context);
    if (endpoint.method !== "GET") return buildWriteResult(endpoint, response);
    const result = noteIgnoredParameters(
      buildReadResult(endpoint, response, resultOptions),
      findIgnoredExtensions(endpoint, input, response),
    );
    return args[IMAGE_ARGUMENT] === true ? await appendImage(result, response as Heatmap, options) : result;
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof ClientError)) options.report(`tool ${endpoint.tool}`, error);
    return errorResult(error, endpoint, args);
  }
}

/** Calls the API. Waits and retries at its rate limit if the wait ends before the deadline. */
export async function callApi(
  endpoint: Endpoint,
  input: Record<string, unknown>,
  { client, deadlineMs }: Pick<CallOptions, "client" | "deadlineMs">,
  { signal, progress }: CallContext,
): Promise<unknown> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(deadlineError(deadlineMs)), deadlineMs);
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await callEndpoint(endpoint, input, {
      ...client,
      signal: controller.signal,
      timeoutMs: Math.min(client.timeoutMs, deadlineMs),
      maxWaitMs: deadlineMs,
      waiting: reportWaits(client.waiting, progress),
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

function deadlineError(deadlineMs: number): ClientError {
  return new ClientError("timeout", `The call took longer than ${deadlineMs / 1000} s`);
}

/** Adds progress messages to waits: the reason and the remaining time. */
function reportWaits(
  waiting: ClientOptions["waiting"],
  sendProgress: CallContext["progress"],
): ClientOptions["waiting"] {
  if (sendProgress === null) return waiting;
  let currentReason = "Waiting";
  return {
    random: () => waiting.random(),
    onWait(reason, ms) {
      currentReason = reason;
      waiting.onWait(reason, ms);
    },
    async sleep(ms, signal) {
      for (let remaining = ms; remaining > 0; remaining -= PROGRESS_INTERVAL_MS) {
        await sendProgress(`${currentReason}. Retrying in ${Math.ceil(remaining / 1000)} s`);
        await waiting.sleep(Math.min(remaining, PROGRESS_INTERVAL_MS), signal);
      }
    },
  };
}

/** Splits the arguments of a tool into the endpoint's input and the result options. Throws `invalid_input`. */
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
    const allowed = Object.keys(known).join(", ") || "none";
    throw new ClientError(
      "invalid_input",
      `Unknown argument ${JSON.stringify(unknown ?? IMAGE_ARGUMENT)}. Allowed arguments: ${allowed}`,
    );
  }
  const isIntegerWithin = (value: unknown, min: number, max: number): value is number =>
    Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
  if (!isIntegerWithin(chars, MIN_CHARS, MAX_CHARS))
    throw new ClientError(
      "invalid_input",
      `max_chars must be an integer from ${MIN_CHARS} to ${MAX_CHARS}, not ${JSON.stringify(chars)}`,
    );
  if (!isIntegerWithin(skip, 0, Number.MAX_SAFE_INTEGER))
    throw new ClientError(
      "invalid_input",
      `skip must be an integer greater than or equal to 0, not ${JSON.stringify(skip)}`,
    );
  if (part !== null && typeof part !== "string")
    throw new ClientError("invalid_input", `part must be a string, not ${JSON.stringify(part)}`);
  if (part === null && skip > 0)
    throw new ClientError("invalid_input", "skip requires part, the path of the list or text to skip within");
  if (typeof image !== "boolean")
    throw new ClientError("invalid_input", `image must be true or false, not ${JSON.stringify(image)}`);
  const offset = typeof own.offset === "number" ? own.offset : 0;
  return { input: parseInput(endpoint, own, now()), resultOptions: { chars, part, skip, offset } };
}

/** Accepts the time formats of the command line. Validates bodies here, because the client sends a body unchecked. */
function parseInput(endpoint: Endpoint, own: ToolArguments, now: number): Record<string, unknown> {
  if (endpoint.method !== "GET") {
    const body = endpoint.body.safeParse(own);
    if (body.success) return { body: body.data };
    const messages = body.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
    throw new ClientError("invalid_input", messages.join("; "));
  }
  const input: Record<string, unknown> = { ...own };
  for (const name of ["from", "to"]) {
    const value = own[name];
    if (typeof value !== "string") continue;
    const time = parseTime(value, now, "UTC");
    if (time === null)
      throw new ClientError("invalid_input", `${name} ${JSON.stringify(value)} is not ${TIME_SYNTAX}`);
    input[name] = time;
  }
  return input;
}

async function appendImage(
  result: CallToolResult,
  heatmap: Heatmap,
  { drawHeatmap }: CallOptions,
): Promise<CallToolResult> {
  if (drawHeatmap === null) return appendText(result, "No image: this server cannot draw images.");
  if (heatmap.rooms.length === 0) return appendText(result, "No image: the heatmap has no positions.");
  const data = Buffer.from(await drawHeatmap(heatmap)).toString("base64");
  return { ...result, content: [...result.content, { type: "image", data, mimeType: "image/png" }] };
}

/** Adds a notice about parameters that an older service ignored, which did not filter its response. */
function noteIgnoredParameters(result: CallToolResult, ignored: readonly string[]): CallToolResult {
  if (ignored.length === 0) return result;
  const text =
    `The service is an older version and ignored ${ignored.join(", ")}. The result is not filtered by it and may lack ` +
    "matching data.";
  const { _notice: notice, ...rest } = result.structuredContent ?? {};
  return appendText({ ...result, structuredContent: { ...rest, _notice: `${notice} ${text}` } }, text);
}

function appendText(result: CallToolResult, text: string): CallToolResult {
  return { ...result, content: [...result.content, { type: "text", text }] };
}
