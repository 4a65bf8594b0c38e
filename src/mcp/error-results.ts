/** Errors as tool results: the status, the message, and a hint for the assistant. */
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { ClientError, type ClientErrorCode } from "../client/errors.ts";
import type { Endpoint } from "../contract/define.ts";
import { nounKind } from "../contract/nouns.ts";
import { quoted } from "./plain-text.ts";
import { getTools } from "./tools.ts";
import type { Toolset } from "./toolsets.ts";
import { fence } from "./untrusted.ts";

/** Hints for an assistant, which has tools instead of a command line. */
const hints: Partial<Record<ClientErrorCode, string>> = {
  bad_request: "Correct the argument and call the tool again.",
  invalid_input: "Correct the argument and call the tool again.",
  unauthorized: "The API key is no longer valid. Ask the user to log in again with `playtest login`.",
  payment_required:
    "The account has no AI key. Ask the user to add their own AI key in the settings of the account.",
  forbidden: "The tool requires a management key. Ask the user for one.",
  internal: "The service failed. Call the tool again. If it fails again, give the user the request id.",
  unavailable: "The service is stopping or overloaded. Call the tool again in a few seconds.",
  network: "The service is unreachable. Ask the user to check the base URL and the network.",
  timeout: "Call the tool again, or request less data with narrower filters or a smaller limit.",
  unsupported: "Use other tools. This service does not have the extension.",
  contract: "Ask the user to check that the base URL is the URL of a playtest service.",
};

export function errorResult(
  thrown: unknown,
  endpoint: Endpoint,
  args: Readonly<Record<string, unknown>>,
  toolsets: readonly Toolset[],
): CallToolResult {
  const lines = thrown instanceof ClientError ? failureLines(thrown, endpoint, args, toolsets) : BUG_LINES;
  return { isError: true, content: [{ type: "text", text: lines.join("\n") }] };
}

const BUG_LINES = [
  "status: none (bug)",
  `message: ${quoted("Internal error in playtest")}`,
  "hint: This is a bug in playtest. Report it to the user.",
];

function failureLines(
  error: ClientError,
  endpoint: Endpoint,
  args: Readonly<Record<string, unknown>>,
  toolsets: readonly Toolset[],
): string[] {
  const { status, code, issues, requestId } = error;
  return [
    `status: ${status ?? "none"} (${code === "invalid_input" ? "usage" : code})`,
    `message: ${quoted(fence(error.message))}`,
    ...(code === "bad_request"
      ? issues.map(({ path, message }) => `argument ${quoted(path.join("."))}: ${quoted(fence(message))}`)
      : []),
    `hint: ${chooseHint(error, endpoint, args, toolsets)}`,
    ...(requestId === null ? [] : [`request id: ${quoted(requestId)}`]),
  ];
}

function chooseHint(
  { code, extra }: ClientError,
  endpoint: Endpoint,
  args: Readonly<Record<string, unknown>>,
  toolsets: readonly Toolset[],
): string {
  if (code === "rate_limited") {
    const { retryAfterMs } = extra;
    const seconds = typeof retryAfterMs === "number" ? Math.ceil(retryAfterMs / 1000) : 60;
    return `Wait ${seconds} s, then call the tool again. Make fewer calls, with a larger limit in each.`;
  }
  if (code !== "not_found") return hints[code] ?? "Correct the arguments and call the tool again.";
  const tools = new Set(Object.keys(args).flatMap((name) => findListingTool(name, endpoint, toolsets) ?? []));
  return tools.size === 0
    ? "Check the names in the arguments."
    : `Call ${[...tools].join(" or ")} to list valid names.`;
}

/** The tool that is always available and whose results contain the same names, for tools that may not be available. */
const alternatives: Readonly<Record<string, string>> = {
  list_builds: "list_sessions",
  list_testers: "list_handles",
};

/** Finds the available tool that lists valid values of an argument; null if there is none. */
function findListingTool(argument: string, { names }: Endpoint, toolsets: readonly Toolset[]): string | null {
  const noun = Object.hasOwn(names, argument) ? names[argument] : argument === "build" ? "build" : undefined;
  const tool = noun === undefined ? null : nounKind(noun).tool;
  if (tool === null || getTools({ allowIngest: false, toolsets }).has(tool)) return tool;
  return alternatives[tool] ?? null;
}
