/** The errors of the command line, and the one table of their exit codes and hints. */
import { type HttpErrorCode, httpErrors, type Issue } from "../contract/errors.ts";

export interface CliErrorKind {
  /** The exit code of a command that ends with it. */
  readonly exit: number;
  /** The message when the error has no message of its own. */
  readonly message: string;
  /** One line: what to do next. */
  readonly hint: string;
}

/** An error that the service answers with: it has the service's own message. */
const serviceError = (code: HttpErrorCode, exit: number, hint: string): CliErrorKind => ({
  exit,
  message: httpErrors[code].message,
  hint,
});

export const cliErrors = {
  bad_request: serviceError("bad_request", 40, "Correct the named value and try again."),
  unauthorized: serviceError(
    "unauthorized",
    41,
    "Log in with `playtest login`, or set PLAYTEST_KEY; `playtest doctor` tells which key is sent.",
  ),
  payment_required: serviceError("payment_required", 42, "Add your own AI key in the account's settings."),
  forbidden: serviceError(
    "forbidden",
    43,
    "Use the other kind of key: a management key reads, an ingest key sends telemetry.",
  ),
  not_found: serviceError("not_found", 44, "Check the name: it may be another account's, or not exist."),
  method_not_allowed: serviceError("method_not_allowed", 45, "Use one of the methods in the Allow header."),
  conflict: serviceError("conflict", 45, "The same request was made before with other content."),
  payload_too_large: serviceError("payload_too_large", 45, "Send less in one request."),
  unsupported_media_type: serviceError("unsupported_media_type", 45, "Send application/json, plain or gzip."),
  misdirected: serviceError(
    "misdirected",
    45,
    "Use the address the server printed, or start it with --host-name.",
  ),
  http_error: {
    exit: 45,
    message: "Another HTTP status 4xx",
    hint: "Check the arguments, and that the base URL is a playtest service.",
  },
  rate_limited: serviceError("rate_limited", 49, "Wait, or allow a longer wait with --max-wait."),
  internal: serviceError(
    "internal",
    50,
    "The service failed; try again, and give its operator the request id.",
  ),
  unavailable: serviceError("unavailable", 50, "The service is stopping or overloaded; try again shortly."),
  network: {
    exit: 51,
    message: "The service cannot be reached",
    hint: "Check the base URL and the network.",
  },
  timeout: {
    exit: 52,
    message: "The service did not answer in time",
    hint: "Try again, or allow more with --timeout.",
  },
  contract: {
    exit: 53,
    message: "The answer breaks the API's contract",
    hint: "Check that the base URL is a playtest service.",
  },
  bug: {
    exit: 1,
    message: "A bug in playtest",
    hint: "Run it again with --debug and report what it prints.",
  },
  usage: { exit: 2, message: "Bad usage", hint: "See the command's --help." },
  config: { exit: 3, message: "Bad configuration", hint: "See `playtest config list`." },
  gate_failed: {
    exit: 10,
    message: "Gate failed",
    hint: "See what changed in the answer; --fail-on names the kinds that fail.",
  },
  inconclusive: {
    exit: 11,
    message: "Inconclusive",
    hint: "A side has no testers: nothing can be said.",
  },
  incomplete: {
    exit: 12,
    message: "Incomplete",
    hint: "Part of the work could not be done; what is missing is listed.",
  },
  locked: { exit: 13, message: "Locked", hint: "Another run is at work; wait for it to end." },
  interrupted: {
    exit: 130,
    message: "Interrupted",
    hint: "Run the same command again to go on.",
  },
  terminated: {
    exit: 143,
    message: "Terminated",
    hint: "Run the same command again to go on.",
  },
} as const satisfies Readonly<Record<HttpErrorCode, CliErrorKind>> & Readonly<Record<string, CliErrorKind>>;

export type CliErrorCode = keyof typeof cliErrors;

/** The HTTP status that a code stands for; null where it stands for none, or for several. */
export function findHttpStatus(code: CliErrorCode): number | null {
  return Object.hasOwn(httpErrors, code) ? httpErrors[code as HttpErrorCode].status : null;
}

export interface CliErrorDetails {
  readonly message?: string;
  readonly hint?: string;
  readonly issues?: readonly Issue[];
  readonly requestId?: string | null;
  /** The status as received, where it is not the one of the code. */
  readonly status?: number | null;
  readonly cause?: unknown;
}

/** An error that ends a command: its code decides the exit code. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly code: CliErrorCode;
  readonly status: number | null;
  readonly hint: string;
  readonly issues: readonly Issue[];
  readonly requestId: string | null;

  constructor(code: CliErrorCode, details: CliErrorDetails = {}) {
    const kind = cliErrors[code];
    super(details.message ?? kind.message, details.cause === undefined ? {} : { cause: details.cause });
    this.code = code;
    this.status = details.status ?? findHttpStatus(code);
    this.hint = details.hint ?? kind.hint;
    this.issues = details.issues ?? [];
    this.requestId = details.requestId ?? null;
  }

  get exitCode(): number {
    return cliErrors[this.code].exit;
  }
}

/** Makes the error of a code, so that commands read `throw fail("usage", ...)`. */
export function fail(code: CliErrorCode, details: CliErrorDetails = {}): CliError {
  return new CliError(code, details);
}
