/** The errors of the command line, and the table of their exit codes and hints. */
import { type HttpErrorCode, httpErrors, type Issue } from "../contract/errors.ts";

interface CliErrorKind {
  /** The exit code of a command that ends with it. */
  readonly exit: number;
  /** The default message. */
  readonly message: string;
  /** One line: what to do next. */
  readonly hint: string;
}

/** An error that the service returned: it has the service's own message. */
const serviceError = (code: HttpErrorCode, exit: number, hint: string): CliErrorKind => ({
  exit,
  message: httpErrors[code].message,
  hint,
});

export const cliErrors = {
  bad_request: serviceError("bad_request", 40, "Correct the value and try again."),
  unauthorized: serviceError(
    "unauthorized",
    41,
    "Run `playtest login` or set PLAYTEST_KEY. Run `playtest doctor` to see which key is sent.",
  ),
  payment_required: serviceError(
    "payment_required",
    42,
    "The account has no model provider. On your own service, run `playtest admin providers set --url <url> --model <id>`.",
  ),
  forbidden: serviceError(
    "forbidden",
    43,
    "Use the other kind of key: management keys read data, ingest keys send telemetry.",
  ),
  not_found: serviceError(
    "not_found",
    44,
    "Check the name. It may not exist, or it may belong to another account.",
  ),
  method_not_allowed: serviceError("method_not_allowed", 45, "Use one of the methods in the Allow header."),
  conflict: serviceError(
    "conflict",
    45,
    "The current state does not allow this, for example a key that was already redeemed, or an id that was used with " +
      "different content.",
  ),
  payload_too_large: serviceError("payload_too_large", 45, "Send less data per request."),
  unsupported_media_type: serviceError(
    "unsupported_media_type",
    45,
    "Send application/json, uncompressed or compressed with gzip.",
  ),
  misdirected: serviceError(
    "misdirected",
    45,
    "Use the URL that the server printed, or start the server with --host-name.",
  ),
  http_error: {
    exit: 45,
    message: "Any other 4xx status",
    hint: "Check the arguments, and that the base URL is a playtest service.",
  },
  rate_limited: serviceError("rate_limited", 49, "Try again later, or allow a longer wait with --max-wait."),
  internal: serviceError(
    "internal",
    50,
    "Try again. If the error persists, give the request id to the operator of the service.",
  ),
  unavailable: serviceError(
    "unavailable",
    50,
    "The service is shutting down or overloaded. Try again in a moment.",
  ),
  network: {
    exit: 51,
    message: "Cannot reach the service",
    hint: "Check the base URL and the network.",
  },
  timeout: {
    exit: 52,
    message: "The service did not respond in time",
    hint: "Try again, or set a longer --timeout.",
  },
  contract: {
    exit: 53,
    message: "The response does not match the API",
    hint: "Check that the base URL is a playtest service.",
  },
  unsupported: {
    exit: 54,
    message: "The service does not offer an endpoint or parameter that the command needs",
    hint: "Use a playtest service of the same version as this program. `playtest server start` runs one.",
  },
  bug: {
    exit: 1,
    message: "A bug in playtest",
    hint: "Run the command again with --debug and report the output.",
  },
  usage: { exit: 2, message: "Invalid usage", hint: "See the command's --help." },
  config: {
    exit: 3,
    message: "Invalid configuration, missing key, or a file that cannot be read or written",
    hint: "See `playtest config list`.",
  },
  gate_failed: {
    exit: 10,
    message: "Gate failed",
    hint: "Fix what the output lists, or choose with --fail-on which changes fail.",
  },
  check_failed: {
    exit: 10,
    message: "Check failed",
    hint: "Fix what the output lists.",
  },
  inconclusive: {
    exit: 11,
    message: "Not enough data to decide",
    hint: "Too few testers in a build, or no tags to compare.",
  },
  incomplete: {
    exit: 12,
    message: "Incomplete",
    hint: "Some lines or parts were rejected or are missing, as listed in the output. The rest was processed.",
  },
  locked: {
    exit: 13,
    message: "Locked",
    hint: "Another playtest command is using the same files. Wait until it has finished.",
  },
  hung_up: {
    exit: 129,
    message: "The terminal was closed",
    hint: "Run the command again; export and ingest continue where they stopped.",
  },
  interrupted: {
    exit: 130,
    message: "Interrupted",
    hint: "Run the command again; export and ingest continue where they stopped.",
  },
  terminated: {
    exit: 143,
    message: "Terminated",
    hint: "Run the command again; export and ingest continue where they stopped.",
  },
} as const satisfies Readonly<Record<HttpErrorCode, CliErrorKind>> & Readonly<Record<string, CliErrorKind>>;

export type CliErrorCode = keyof typeof cliErrors;

/** The errors of commands that a signal ended, with the signals. */
export const signalsByCode = { hung_up: "SIGHUP", interrupted: "SIGINT", terminated: "SIGTERM" } as const;
export type SignalErrorCode = keyof typeof signalsByCode;

export const isSignalErrorCode = (code: string): code is SignalErrorCode =>
  Object.hasOwn(signalsByCode, code);

/** The HTTP status of a code, or null if it has none or several. */
export function findHttpStatus(code: CliErrorCode): number | null {
  return Object.hasOwn(httpErrors, code) ? httpErrors[code as HttpErrorCode].status : null;
}

interface CliErrorDetails {
  readonly message?: string;
  readonly hint?: string;
  readonly issues?: readonly Issue[];
  readonly requestId?: string | null;
  /** The status that was received, if it is not the one of the code. */
  readonly status?: number | null;
  readonly cause?: unknown;
}

/** An error that ends a command. Its code determines the exit code. */
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

/** Creates an error, so that commands can write `throw fail("usage", ...)`. */
export function fail(code: CliErrorCode, details: CliErrorDetails = {}): CliError {
  return new CliError(code, details);
}
