/** Errors as results of tools: the status, the message, and what an assistant can do about it. */
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { Endpoint } from "../contract/define.ts";
import { ApiError, type ErrorCode, fail } from "../contract/errors.ts";
import { quoted } from "./plain-text.ts";

/** What to do, for who has tools instead of a command line. */
const ways: Partial<Record<ErrorCode, string>> = {
  bad_request: "Correct the named argument and call again.",
  usage: "Correct the named argument and call again.",
  unauthorized: "The key is not valid any more: ask the user to log in again with `playtest login`.",
  payment_required:
    "The account has no AI key of its own: ask the user to add one in the account's settings.",
  forbidden: "The key is of another kind: ask the user for a management key.",
  internal: "The service failed: call again once; if it fails again, give the user the request id.",
  unavailable: "The service is stopping or overloaded: call again shortly.",
  network: "The service cannot be reached: ask the user to check the base URL and the network.",
  timeout: "Call again, or ask for less: narrower filters, a smaller limit.",
  contract: "Ask the user to check that the base URL is a playtest service.",
  bug: "A fault in playtest itself: tell the user.",
};

/** The tools that list what may be meant, by argument. */
const lists: Readonly<Record<string, string>> = {
  game: "list_games",
  version: "list_sessions (metadata.gameVersion)",
  build: "list_sessions (metadata.gameVersion)",
  a: "list_sessions (metadata.gameVersion)",
  b: "list_sessions (metadata.gameVersion)",
  deviceId: "list_handles",
  batchId: "list_batches",
};

/** The result that tells of a fault. */
export function errorResult(
  thrown: unknown,
  endpoint: Endpoint,
  args: Readonly<Record<string, unknown>>,
): CallToolResult {
  const error = thrown instanceof ApiError ? thrown : fail("bug", { cause: thrown });
  const { status, code, issues, requestId } = error;
  const lines = [
    `status: ${status ?? "none"} (${code})`,
    `message: ${quoted(error.message)}`,
    ...(code === "bad_request"
      ? issues.map(({ path, message }) => `argument ${quoted(path.join("."))}: ${quoted(message)}`)
      : []),
    `what to do: ${wayOut(error, endpoint, args)}`,
    ...(requestId === null ? [] : [`request id: ${quoted(requestId)}`]),
  ];
  return { isError: true, content: [{ type: "text", text: lines.join("\n") }] };
}

function wayOut(
  { code, extra }: ApiError,
  endpoint: Endpoint,
  args: Readonly<Record<string, unknown>>,
): string {
  if (code === "rate_limited") {
    const { retryAfterMs } = extra;
    const seconds = typeof retryAfterMs === "number" ? Math.ceil(retryAfterMs / 1000) : 60;
    return `Wait ${seconds} s, then call again; ask for more in one call rather than in many.`;
  }
  if (code !== "not_found") return ways[code] ?? "Correct the arguments and call again.";
  const told = new Set(Object.keys(args).flatMap((name) => listOf(name, endpoint) ?? []));
  return told.size === 0 ? "Check the names." : `See what there is with ${[...told].join(" and ")}.`;
}

/** The tool that lists what an argument names: an `id` is one of what the path lists. */
function listOf(name: string, { path }: Endpoint): string | undefined {
  if (name !== "id") return lists[name];
  const noun = /(\w+)s\/\{id\}/.exec(path)?.[1];
  return noun === "experiment" ? "list_game_experiments" : noun && `list_${noun}s`;
}
