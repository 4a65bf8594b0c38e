/** Calls one tool: validates its arguments, calls the API within the deadline and builds the result or the error. */
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { ClientError } from "../client/errors.ts";
import type { Endpoint } from "../contract/define.ts";
import type { Heatmap } from "../contract/heatmaps.ts";
import { parseTime, TIME_SYNTAX } from "../shared/times.ts";
import { nameBuilds, requirePlayedBuild } from "./build-words.ts";
import { type CallContext, type CallOptions, readPairComparison, withDeadline } from "./call-api.ts";
import { callInEnvironment, hasNothing } from "./call-in-environment.ts";
import { errorResult } from "./error-results.ts";
import { getBodyShape } from "./json-schemas.ts";
import { quoted } from "./plain-text.ts";
import { buildReadResult, buildWriteResult, MAX_CHARS, MIN_CHARS } from "./tool-result.ts";
import { IMAGE_ARGUMENT, type Tool } from "./tools.ts";
import { fence, markUntrusted } from "./untrusted.ts";

type ToolArguments = Readonly<Record<string, unknown>>;

/** Calls a tool. Errors are returned as results; it only rejects with the reason of an aborted `context.signal`. */
export async function callTool(
  { endpoint }: Tool,
  args: ToolArguments,
  options: CallOptions,
  context: CallContext,
): Promise<CallToolResult> {
  try {
    const { input: parsed, resultOptions } = parseArguments(endpoint, args, options);
    const { response, compared, note } = await withDeadline(
      options.deadlineMs,
      context.signal,
      async (signal) => {
        const timed = { ...context, signal };
        const named = await nameBuilds(endpoint, parsed, options, timed);
        const { input, response } = await callInEnvironment(endpoint, named.input, options, timed);
        if (hasNothing(endpoint, response)) await requirePlayedBuild(input, options, timed);
        const isComparison = endpoint.name === "compareBuilds" && resultOptions.part === null;
        return {
          response,
          note: named.note,
          compared: isComparison ? await readPairComparison(response, input, options, timed) : null,
        };
      },
    );
    if (endpoint.method !== "GET") return buildWriteResult(endpoint, response);
    const result = addNote(buildReadResult(endpoint, response, resultOptions, compared), note);
    return args[IMAGE_ARGUMENT] === true
      ? await appendImage(result, markUntrusted(response, endpoint.response).value as Heatmap, options)
      : result;
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof ClientError)) options.report(`tool ${endpoint.tool}`, error);
    return errorResult(error, endpoint, args, options.toolsets);
  }
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
  return {
    input: parseInput(endpoint, own, now()),
    resultOptions: { chars, part, skip, offset },
  };
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

/** Adds a note to the text and the data of a result. */
function addNote(result: CallToolResult, note: string | null): CallToolResult {
  if (note === null) return result;
  // Notes name builds, which games choose, so they are data as well.
  const text = `note: ${quoted(fence(note))}`;
  return appendText(
    { ...result, structuredContent: { ...result.structuredContent, _note: fence(note) } },
    text,
  );
}

function appendText(result: CallToolResult, text: string): CallToolResult {
  return { ...result, content: [...result.content, { type: "text", text }] };
}
