/** The errors of the command line, and the table of their exit codes and hints. */
import { type HttpErrorCode, httpErrors, type Issue } from "../contract/errors.ts";
import { joinAlternatives } from "../shared/similar-names.ts";

interface CliErrorKind {
  /** The exit code of a command that ends with it. */
  readonly exit: number;
  readonly message: string;
  /** One line: what to do next. */
  readonly hint: string;
}

/** An error that the service returned: it has the service's own message. */
const serviceError = (code: HttpErrorCode, exit: number, hint: string): CliErrorKind =>
  ownError(exit, httpErrors[code].message, hint);

const ownError = (exit: number, message: string, hint: string): CliErrorKind => ({ exit, message, hint });

const RUN_AGAIN = "Run the command again.";

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
    "Use another kind of key: management keys read data, ingest keys send telemetry, CI keys register builds and open gates.",
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
  http_error: ownError(
    45,
    "Any other 4xx status",
    "Check the arguments, and that the base URL is a playtest service.",
  ),
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
  storage_full: serviceError(
    "storage_full",
    50,
    "Ask the operator to prune old data, or to raise --max-database-size. Reads still work.",
  ),
  network: ownError(51, "Cannot reach the service", "Check the base URL and the network."),
  timeout: ownError(52, "The service did not respond in time", "Try again, or set a longer --timeout."),
  contract: ownError(
    53,
    "The response does not match the API",
    "Check that the base URL is a playtest service.",
  ),
  unsupported: ownError(
    54,
    "The service does not offer an endpoint or parameter that the command needs",
    "Use a playtest service of the same version as this program. `playtest server start` runs one.",
  ),
  bug: ownError(1, "A bug in playtest", "Run the command again with --debug and report the output."),
  usage: ownError(2, "Invalid usage", "See the command's --help."),
  config: ownError(
    3,
    "Invalid configuration, missing key, or a file that cannot be read or written",
    "See `playtest config list`.",
  ),
  gate_failed: ownError(
    10,
    "Gate failed",
    "Fix what the output lists, or choose with --fail-on which changes fail.",
  ),
  check_failed: ownError(10, "Check failed", "Fix what the output lists."),
  inconclusive: ownError(
    11,
    "Not enough data to decide",
    "Too few testers in a build, or nothing to compare. Wait for more with `playtest gate --wait`, see how many are needed with " +
      "`playtest gate plan`, or let it pass with --on-inconclusive.",
  ),
  incomplete: ownError(
    12,
    "Incomplete",
    "Some lines or parts were rejected or are missing, as listed in the output. The rest was processed.",
  ),
  locked: ownError(
    13,
    "Locked",
    "Another playtest command is using the same files. Wait until it has finished.",
  ),
  hung_up: ownError(129, "The terminal was closed", RUN_AGAIN),
  interrupted: ownError(130, "Interrupted", RUN_AGAIN),
  terminated: ownError(143, "Terminated", RUN_AGAIN),
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
  /** What was probably meant, as a sentence. People see it after the message, and instead of the hint. */
  readonly suggestion?: string | null;
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
  /** What to do next, with the suggestion. */
  readonly hint: string;
  readonly suggestion: string | null;
  readonly issues: readonly Issue[];
  readonly requestId: string | null;

  constructor(code: CliErrorCode, details: CliErrorDetails = {}) {
    const kind = cliErrors[code];
    super(details.message ?? kind.message, details.cause === undefined ? {} : { cause: details.cause });
    this.code = code;
    this.status = details.status ?? findHttpStatus(code);
    this.suggestion = details.suggestion ?? null;
    this.hint =
      this.suggestion === null
        ? (details.hint ?? kind.hint)
        : [this.suggestion, details.hint].filter((part) => part !== undefined).join(" ");
    this.issues = details.issues ?? [];
    this.requestId = details.requestId ?? null;
  }

  /** Whether the message already says what to do. Usage errors without a hint of their own name the allowed values. */
  get isSelfExplanatory(): boolean {
    return this.suggestion !== null || (this.code === "usage" && this.hint === cliErrors.usage.hint);
  }

  get exitCode(): number {
    return cliErrors[this.code].exit;
  }
}

/** Creates an error, so that commands can write `throw fail("usage", ...)`. */
export function fail(code: CliErrorCode, details: CliErrorDetails = {}): CliError {
  return new CliError(code, details);
}

export function unknownValue(kind: string, value: string, allowed: readonly string[]): CliError {
  const known = joinAlternatives(allowed);
  return fail("usage", { message: `Unknown ${kind} ${JSON.stringify(value)}. Use ${known}.` });
}
