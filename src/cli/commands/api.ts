/** api: any read of the API by its path, raw. */
import { sendRequest } from "../../client/client.ts";
import { ClientError } from "../../client/errors.ts";
import { notFoundMessage } from "../../client/not-found.ts";
import { withRetries } from "../../client/retry.ts";
import { command } from "../command.ts";
import { type CliError, fail } from "../errors.ts";
import { list, toggle } from "../flags.ts";

export const apiCommand = command({
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

/** The service does not say which path it did not find. */
function notFound(error: ClientError, path: string): CliError {
  const { requestId, status } = error;
  const message = notFoundMessage(error, path);
  const hint = "Check the names in it; the service's /openapi.json lists the paths there are.";
  return fail("not_found", { message, hint, requestId, status, cause: error });
}

/** The path with its query. Throws `usage` for what is no path of the service: the key goes nowhere else. */
function buildPath(given: string, fields: readonly string[]): string {
  const refuse = (message: string, hint: string) => fail("usage", { message, hint });
  if (/^[a-z][a-z0-9+.-]*:/i.test(given) || given.startsWith("//") || given.includes("\\")) {
    throw refuse(
      `${JSON.stringify(given)} is an address, not a path`,
      "Name the service with --base-url, and the path here.",
    );
  }
  const path = given.startsWith("/") ? given : `/api/v1/${given}`;
  const url = new URL(path, "http://service");
  for (const field of fields) {
    const at = field.indexOf("=");
    if (at < 1)
      throw refuse(`--field ${JSON.stringify(field)} is not key=value`, "Write it as -f game=ember.");
    url.searchParams.append(field.slice(0, at), field.slice(at + 1));
  }
  return `${url.pathname}${url.search}`;
}

export const commands = [apiCommand];
