/** Tests of exit codes: every code that a command can end with, and the output on stderr. */
import { describe, expect, test } from "vitest";
import { type CliErrorCode, cliErrors, fail, findHttpStatus } from "../../src/cli/errors.ts";
import { ClientError } from "../../src/client/errors.ts";
import type { Transport } from "../../src/client/transport.ts";
import { responseBodies } from "../client/response-fixtures.ts";
import { rateLimited, type ScriptedReply, script } from "../client/script.ts";
import { runCli } from "../harness.ts";

const env = { PLAYTEST_BASE_URL: "http://127.0.0.1:1", PLAYTEST_KEY: "k", PLAYTEST_INGEST_KEY: "i" };

interface ReportedError {
  readonly code: string;
  readonly message: string;
  readonly status: number | null;
  readonly hint: string;
  readonly issues: unknown[];
  readonly requestId: string | null;
  readonly exitCode: number;
}

/** The error in the JSON on the last line of stderr. */
function lastError(err: string): ReportedError {
  const { error }: { error: ReportedError } = JSON.parse(err.trimEnd().split("\n").at(-1) ?? "");
  return error;
}

/** How to provoke each code: a response of the service, or a command line. */
const ways: Partial<Record<CliErrorCode, ScriptedReply | Error | string[]>> = {
  bad_request: { status: 400, body: { error: "limit: too small" } },
  unauthorized: { status: 401, body: { error: "Invalid key" } },
  payment_required: { status: 402, body: { error: "Payment required", requiresPremium: true } },
  forbidden: { status: 403, body: { error: "Forbidden", requiredScope: "management" } },
  not_found: { status: 404, body: { error: "Not found" } },
  method_not_allowed: { status: 405, body: { error: "Method not allowed" } },
  conflict: { status: 409, body: { error: "Conflict" } },
  payload_too_large: { status: 413, body: { error: "Request body too large" } },
  unsupported_media_type: { status: 415, body: { error: "Unsupported media type" } },
  misdirected: { status: 421, body: { error: "Unknown host" } },
  http_error: { status: 410, body: { error: "Gone" } },
  rate_limited: rateLimited(3_600_000),
  internal: { status: 500, body: { error: "Internal error" } },
  unavailable: { status: 503, body: { error: "Unavailable" } },
  network: new ClientError("network", "Cannot reach http://127.0.0.1:1: connection refused"),
  timeout: new ClientError("timeout", "http://127.0.0.1:1 did not respond within 30 s"),
  contract: { body: { hello: "world" } },
  bug: new TypeError("x is not a function"),
  usage: ["games", "list", "--nope"],
  config: ["games", "list", "--base-url", "ftp://x"],
  incomplete: ["ingest", "telemetry", "-"],
};

describe.each(Object.entries(ways))("%s", (name, way) => {
  const code = name as CliErrorCode;
  const { exit, hint } = cliErrors[code];
  const status = code === "http_error" ? 410 : findHttpStatus(code);
  const argv = Array.isArray(way) ? way : ["games", "get", "ember"];

  const run = (flags: string[] = []) => {
    const given = Array.isArray(way) ? { status: 202, body: responseBodies.sendTelemetry } : way;
    const { transport } = script(given);
    return runCli([...argv, ...flags], { env, transport, stdin: "no JSON\n" });
  };

  test(`ends with exit code ${exit} and two lines on stderr`, async () => {
    const outcome = await run();
    expect(outcome.code).toBe(exit);
    const lines = outcome.err.trimEnd().split("\n");
    expect(lines.at(-1)).toMatch(/^hint: .+/);
    expect(lines.at(-2)).toMatch(code === "incomplete" ? /^Incomplete\. / : /^error: .+/);
    expect(outcome.err).not.toMatch(/\n {4}at /);
  });

  test("is reported as JSON when JSON output is requested", async () => {
    for (const flags of [
      ["--json"],
      ["--format", "json"],
      ["--format=json"],
      ["--format", "ndjson"],
      ["--jq", "."],
    ]) {
      const outcome = await run(flags);
      expect(outcome.code).toBe(exit);
      if (code !== "incomplete") expect(outcome.out).toBe("");
      const error = lastError(outcome.err);
      expect(error).toMatchObject({ code, exitCode: exit, status: code === "contract" ? null : status });
      const messageAndHint = `error: ${error.message}\nhint: ${error.hint}\n`;
      if (code !== "incomplete") expect(outcome.err).toContain(messageAndHint);
      expect(Object.keys(error)).toEqual([
        "code",
        "message",
        "status",
        "hint",
        "issues",
        "requestId",
        "exitCode",
      ]);
      if (way !== null && !Array.isArray(way) && code !== "not_found") expect(error.hint).toBe(hint);
    }
  });
});

test.each([
  [407, "http_error", 45],
  [418, "http_error", 45],
  [502, "internal", 50],
  [504, "internal", 50],
  [302, "contract", 53],
])("another status, %i, ends with the code of its class", async (status, code, exit) => {
  const outcome = await runCli(["games", "list", "--json"], { env, transport: script({ status }).transport });
  expect(outcome.code).toBe(exit);
  expect(lastError(outcome.err)).toMatchObject({ code, status, exitCode: exit });
});

test.each([404, 405])(
  "a service that answers the list of games with %i has no extensions",
  async (status) => {
    const { transport } = script({ status, body: { error: "Not found" } });
    const outcome = await runCli(["sessions", "events", "sess_1", "--json"], { env, transport });
    expect(outcome.code).toBe(54);
    expect(lastError(outcome.err)).toMatchObject({ code: "unsupported", status: null, exitCode: 54 });
  },
);

test.each(["hung_up", "interrupted", "terminated"] as const)(
  "%s in mid-request ends with its own code",
  async (code) => {
    const controller = new AbortController();
    const transport: Transport = async () => {
      controller.abort(fail(code));
      throw new Error("The operation was aborted");
    };
    const outcome = await runCli(["games", "list", "--json"], { env, transport, signal: controller.signal });
    expect([outcome.code, outcome.out]).toEqual([cliErrors[code].exit, ""]);
    expect(lastError(outcome.err).code).toBe(code);
  },
);

test("a not-found error names what was looked up", async () => {
  const missing = script({ status: 404, body: { error: "Not found" }, headers: { "x-request-id": "req-1" } });
  const runFailing = async (line: string) =>
    (await runCli(line.split(" "), { env, transport: missing.transport })).err;
  expect(await runFailing("games get nosuch")).toMatchInlineSnapshot(`
    "error: No game nosuch
    hint: Run \`playtest games list\` to see the games this key can read.
    "
  `);
  expect(await runFailing("sessions list -g nosuch")).toContain("No game nosuch");
  expect(await runFailing("sessions get sess_x")).toContain("No session sess_x");
  expect(await runFailing("builds get 9.9 -g ember")).toContain("build 9.9 in ember");
  // With an unknown game, the builds are not what is wrong.
  expect(await runFailing("builds compare 1 2 -g embr")).toMatch(/^error: No game embr\n/);
  expect(await runFailing("testers get dev_x -g ember")).toContain("No tester dev_x in ember");
});

test.each([
  [407, "Proxy authentication required", 45, "HTTP 407: Proxy authentication required"],
  [410, undefined, 45, "HTTP 410: no error message"],
  [404, "No form of this version", 44, "No form of this version (game nosuch)"],
  [404, undefined, 44, "No game nosuch"],
  [409, "This requestId was used before", 45, "This requestId was used before"],
])("HTTP %i with the message %j keeps its status and message", async (status, error, exit, message) => {
  const { transport } = script({ status, body: error === undefined ? {} : { error } });
  const outcome = await runCli(["games", "get", "nosuch", "--json"], { env, transport });
  expect(outcome.code).toBe(exit);
  expect(lastError(outcome.err)).toMatchObject({ status, message, exitCode: exit });
});

test("a 404 response to the api command shows the message of the service", async () => {
  const { transport } = script({ status: 404, body: { error: "No such page" } });
  const outcome = await runCli(["api", "nosuch"], { env, transport });
  expect(outcome.err).toContain("error: No such page (/api/v1/nosuch)\n");
});

test("the issues of a 400 response are listed, and complete in JSON", async () => {
  const issues = [
    { path: ["limit"], code: "too_small", message: "must be at least 1" },
    { path: ["from"], code: "custom", message: "from must not be after to" },
  ];
  const { transport } = script({ status: 400, body: { error: "Bad request", issues } });
  const outcome = await runCli(["games", "list", "--json"], { env, transport });
  expect(outcome.err.split("\n").slice(0, 4)).toEqual([
    "error: Bad request",
    "  limit must be at least 1",
    "  from: from must not be after to",
    `hint: ${cliErrors.bad_request.hint}`,
  ]);
  expect(lastError(outcome.err).issues).toEqual(issues);
});

test("--debug adds requests and the stack, but no key", async () => {
  const secret = { ...env, PLAYTEST_KEY: "pt_mgmt_secret" };
  const { transport } = script(new ClientError("network", "cut"), {
    status: 500,
    headers: { "x-request-id": "req-9" },
  });
  const outcome = await runCli(["games", "list", "--debug"], { env: secret, transport });
  expect(outcome.err).toContain("GET http://127.0.0.1:1/api/v1/games -> 500 in");
  expect(outcome.err).toMatch(/\n {4}at /);
  expect(outcome.err).not.toContain("secret");
});

test("a closed stdout pipe is not an error", async () => {
  const gone = Object.assign(new Error("write EPIPE"), { code: "EPIPE" });
  const { transport } = script({ body: responseBodies.listGames });
  const outcome = await runCli(["games", "list"], { env, transport, outFault: gone });
  expect([outcome.code, outcome.err]).toEqual([0, ""]);
});

test("a closed stderr does not change the exit code", async () => {
  const errFault = Object.assign(new Error("write EPIPE"), { code: "EPIPE" });
  const fine = script(rateLimited(5), { body: responseBodies.listGames });
  const warned = { ...env, PLAYTEST_BASE_URL: "http://studio.test" };
  const argv = ["games", "list", "--allow-http", "--debug"];
  const found = await runCli(argv, { env: warned, transport: fine.transport, errFault });
  expect([found.code, found.out]).toEqual([0, expect.stringContaining("ember")]);
  const missing = script({ status: 404 });
  expect(await runCli(["games", "get", "x"], { env, transport: missing.transport, errFault })).toMatchObject({
    code: 44,
  });
});

test.each(["ENOSPC", "EACCES"])("a stdout that fails with %s ends with exit code 3", async (code) => {
  const fault = Object.assign(new Error(`write ${code}`), { code });
  const { transport } = script({ body: responseBodies.listGames });
  expect(await runCli(["games", "list"], { env, transport, outFault: fault })).toMatchObject({ code: 3 });
  for (const quick of ["--help", "--version"]) {
    const run = await runCli([quick], { outFault: fault });
    expect([run.code, run.err]).toEqual([3, expect.stringMatching(/^error: .*\nhint: .*\n$/)]);
  }
});
