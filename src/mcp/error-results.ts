/** Errors as results of tools: the status, the message, and what an assistant can do about it. */
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { ClientError, type ClientErrorCode } from "../client/errors.ts";
import type { Endpoint } from "../contract/define.ts";
import { nounKind } from "../contract/nouns.ts";
import { quoted } from "./plain-text.ts";

/** What to do, for who has tools instead of a command line. */
const remedies: Partial<Record<ClientErrorCode, string>> = {
  bad_request: "Correct the named argument and call again.",
  invalid_input: "Correct the named argument and call again.",
  unauthorized: "The key is not valid any more: ask the user to log in again with `playtest login`.",
  payment_required:
    "The account has no AI key of its own: ask the user to add one in the account's settings.",
  forbidden: "The key is of another kind: ask the user for a management key.",
  internal: "The service failed: call again once; if it fails again, give the user the request id.",
  unavailable: "The service is stopping or overloaded: call again shortly.",
  network: "The service cannot be reached: ask the user to check the base URL and the network.",
  timeout: "Call again, or ask for less: narrower filters, a smaller limit.",
  contract: "Ask the user to check that the base URL is a playtest service.",
};

/** The result of a call that failed. */
export function errorResult(
  thrown: unknown,
  endpoint: Endpoint,
  args: Readonly<Record<string, unknown>>,
): CallToolResult {
  const lines = thrown instanceof ClientError ? failureLines(thrown, endpoint, args) : BUG_LINES;
  return { isError: true, content: [{ type: "text", text: lines.join("\n") }] };
}

const BUG_LINES = [
  "status: none (bug)",
  `message: ${quoted("A bug in playtest")}`,
  "what to do: A fault in playtest itself: tell the user.",
];

function failureLines(
  error: ClientError,
  endpoint: Endpoint,
  args: Readonly<Record<string, unknown>>,
): string[] {
  const { status, code, issues, requestId } = error;
  return [
    `status: ${status ?? "none"} (${code === "invalid_input" ? "usage" : code})`,
    `message: ${quoted(error.message)}`,
    ...(code === "bad_request"
      ? issues.map(({ path, message }) => `argument ${quoted(path.join("."))}: ${quoted(message)}`)
      : []),
    `what to do: ${suggestRemedy(error, endpoint, args)}`,
    ...(requestId === null ? [] : [`request id: ${quoted(requestId)}`]),
  ];
}

function suggestRemedy(
  { code, extra }: ClientError,
  endpoint: Endpoint,
  args: Readonly<Record<string, unknown>>,
): string {
  if (code === "rate_limited") {
    const { retryAfterMs } = extra;
    const seconds = typeof retryAfterMs === "number" ? Math.ceil(retryAfterMs / 1000) : 60;
    return `Wait ${seconds} s, then call again; ask for more in one call rather than in many.`;
  }
  if (code !== "not_found") return remedies[code] ?? "Correct the arguments and call again.";
  const tools = new Set(Object.keys(args).flatMap((name) => findListingTool(name, endpoint) ?? []));
  return tools.size === 0 ? "Check the names." : `See what there is with ${[...tools].join(" and ")}.`;
}

/** The tool that lists what an argument names; null where it names nothing, or no tool lists it. */
function findListingTool(argument: string, { names }: Endpoint): string | null {
  const noun = Object.hasOwn(names, argument) ? names[argument] : undefined;
  return noun === undefined ? null : nounKind(noun).tool;
}
