/** api: sends a GET request to any API path and prints the response. */
import { sendRequest } from "../../client/client.ts";
import { ClientError } from "../../client/errors.ts";
import { notFoundMessage } from "../../client/not-found.ts";
import { withRetries } from "../../client/retry.ts";
import { command } from "../command.ts";
import { type CliError, fail } from "../errors.ts";
import { list, toggle } from "../flags.ts";

const apiCommand = command({
  path: "api",
  summary: "Send a GET request to any API path",
  details:
    "Sends a GET request with the profile's key and prints the JSON response unchanged. A path without a " +
    "leading slash is relative to /api/v1. Retries, rate limit waits and exit codes are the same as for " +
    "every other command.",
  args: [
    {
      name: "<path>",
      describe: "API path, with an optional query, such as games or /api/v1/sessions?limit=5",
    },
  ],
  flags: {
    field: list("-f, --field <key=value>", "query parameter (repeatable)"),
    ingestKey: toggle("--ingest-key", "use the ingest key instead of the management key"),
  },
  examples: [
    "api games",
    "api sessions -f game=ember -f limit=5 --jq '.items[].title'",
    "api /api/v1/builds/compare -f game=ember -f a=0.8.0 -f b=0.9.0",
  ],
  async run(context, { args, flags }) {
    const path = buildPath(args[0] ?? "", flags.field);
    const options = await context.clientOptions({ key: flags.ingestKey ? "ingest" : "management" });
    const { json } = await withRetries(
      () => sendRequest("GET", path, undefined, options),
      { maxWaitMs: options.maxWaitMs, repeatable: true },
      options.waiting,
      options.signal,
    ).catch((error: unknown) => {
      throw error instanceof ClientError && error.code === "not_found" ? notFound(error, path) : error;
    });
    return { data: json, view: async ({ tty }) => (await import("../output.ts")).formatJson(json, tty) };
  },
});

/** Adds the path to a not-found error, because the response of the service does not contain it. */
function notFound(error: ClientError, path: string): CliError {
  const { requestId, status } = error;
  const message = notFoundMessage(error, path);
  const hint =
    "Check the path and the query values. Run `playtest api /openapi.json --jq '.paths | keys'` to list all paths.";
  return fail("not_found", { message, hint, requestId, status, cause: error });
}

/** The path with its query. Throws `usage` for a URL with a host, because the key must not be sent to other services. */
function buildPath(text: string, fields: readonly string[]): string {
  if (/^[a-z][a-z0-9+.-]*:/i.test(text) || text.startsWith("//") || text.includes("\\")) {
    throw fail("usage", {
      message: `${JSON.stringify(text)} is a URL, not a path`,
      hint: "Pass only the path. Set the URL of the service with --base-url.",
    });
  }
  const path = text.startsWith("/") ? text : `/api/v1/${text}`;
  const url = new URL(path, "http://service");
  for (const field of fields) {
    const separator = field.indexOf("=");
    if (separator < 1)
      throw fail("usage", {
        message: `--field ${JSON.stringify(field)} is not key=value`,
        hint: "For example: -f game=ember.",
      });
    url.searchParams.append(field.slice(0, separator), field.slice(separator + 1));
  }
  return `${url.pathname}${url.search}`;
}

export const commands = [apiCommand];
