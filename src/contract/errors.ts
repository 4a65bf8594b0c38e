/** The one table of error codes: HTTP status, exit code and what to do next, for the service and the command line alike. */

export interface ErrorKind {
  /** HTTP status the service answers with; null for faults that only a client can meet. */
  readonly status: number | null;
  /** Exit code of the command line. */
  readonly exit: number;
  /** The message when none is given. */
  readonly message: string;
  /** One line: what to do next. */
  readonly hint: string;
}

export const errorKinds = {
  bad_request: {
    status: 400,
    exit: 40,
    message: "Bad request",
    hint: "Correct the named value and try again.",
  },
  unauthorized: {
    status: 401,
    exit: 41,
    message: "Invalid key",
    hint: "Log in with `playtest login`, or set PLAYTEST_KEY; `playtest doctor` tells which key is sent.",
  },
  payment_required: {
    status: 402,
    exit: 42,
    message: "Payment required",
    hint: "Add your own AI key in the account's settings.",
  },
  forbidden: {
    status: 403,
    exit: 43,
    message: "Forbidden",
    hint: "Use the other kind of key: a management key reads, an ingest key sends telemetry.",
  },
  not_found: {
    status: 404,
    exit: 44,
    message: "Not found",
    hint: "Check the name: it may be another account's, or not exist.",
  },
  method_not_allowed: {
    status: 405,
    exit: 45,
    message: "Method not allowed",
    hint: "Use one of the methods in the Allow header.",
  },
  conflict: {
    status: 409,
    exit: 45,
    message: "Conflict",
    hint: "The same request was made before with other content.",
  },
  payload_too_large: {
    status: 413,
    exit: 45,
    message: "Request body too large",
    hint: "Send less in one request.",
  },
  unsupported_media_type: {
    status: 415,
    exit: 45,
    message: "Unsupported media type",
    hint: "Send application/json, plain or gzip.",
  },
  misdirected: {
    status: 421,
    exit: 45,
    message: "Unknown host",
    hint: "Use the address the server printed, or start it with --host-name.",
  },
  rate_limited: {
    status: 429,
    exit: 49,
    message: "Rate limit exceeded",
    hint: "Wait, or allow a longer wait with --max-wait.",
  },
  internal: {
    status: 500,
    exit: 50,
    message: "Internal error",
    hint: "The service failed; try again, and give its operator the request id.",
  },
  unavailable: {
    status: 503,
    exit: 50,
    message: "Unavailable",
    hint: "The service is stopping or overloaded; try again shortly.",
  },
  network: {
    status: null,
    exit: 51,
    message: "The service cannot be reached",
    hint: "Check the base URL and the network.",
  },
  timeout: {
    status: null,
    exit: 52,
    message: "The service did not answer in time",
    hint: "Try again, or allow more with --timeout.",
  },
  contract: {
    status: null,
    exit: 53,
    message: "The answer breaks the API's contract",
    hint: "Check that the base URL is a playtest service.",
  },
  bug: {
    status: null,
    exit: 1,
    message: "A bug in playtest",
    hint: "Run it again with --debug and report what it prints.",
  },
  usage: { status: null, exit: 2, message: "Bad usage", hint: "See the command's --help." },
  config: { status: null, exit: 3, message: "Bad configuration", hint: "See `playtest config list`." },
  gate_failed: {
    status: null,
    exit: 10,
    message: "Gate failed",
    hint: "See what changed in the answer; --fail-on names the kinds that fail.",
  },
  inconclusive: {
    status: null,
    exit: 11,
    message: "Inconclusive",
    hint: "A side has no testers: nothing can be said.",
  },
  incomplete: {
    status: null,
    exit: 12,
    message: "Incomplete",
    hint: "Part of the work could not be done; what is missing is listed.",
  },
  locked: { status: null, exit: 13, message: "Locked", hint: "Another run is at work; wait for it to end." },
  interrupted: {
    status: null,
    exit: 130,
    message: "Interrupted",
    hint: "Run the same command again to go on.",
  },
  terminated: {
    status: null,
    exit: 143,
    message: "Terminated",
    hint: "Run the same command again to go on.",
  },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errorKinds;

/** One offending field of a 400, as the service sends it. */
export interface Issue {
  /** Where the value is: the parameter's name, or the path inside the body. */
  readonly path: ReadonlyArray<string | number>;
  /** What kind of rule it breaks, such as `too_small` or `invalid_value`. */
  readonly code: string;
  /** A sentence for people, naming what is allowed. */
  readonly message: string;
}

/** What an error may carry besides its code and message. */
export interface ErrorDetails {
  readonly message?: string;
  readonly hint?: string;
  readonly issues?: readonly Issue[];
  /** Further fields of the error body, such as `requiredScope` or `retryAfterMs`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly requestId?: string | null;
  /** The status as received, where it is not the one of the code's kind. */
  readonly status?: number | null;
  readonly cause?: unknown;
}

/** An error with a code of the table: thrown by the service, the client and the command line alike. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode;
  readonly status: number | null;
  readonly hint: string;
  readonly issues: readonly Issue[];
  readonly extra: Readonly<Record<string, unknown>>;
  readonly requestId: string | null;

  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    const kind: ErrorKind = errorKinds[code];
    super(details.message ?? kind.message, details.cause === undefined ? {} : { cause: details.cause });
    this.code = code;
    this.status = details.status ?? kind.status;
    this.hint = details.hint ?? kind.hint;
    this.issues = details.issues ?? [];
    this.extra = details.extra ?? {};
    this.requestId = details.requestId ?? null;
  }

  get exitCode(): number {
    return errorKinds[this.code].exit;
  }
}

/** Makes the error of a code; `throw fail("not_found")` reads as what it does. */
export function fail(code: ErrorCode, details: ErrorDetails = {}): ApiError {
  return new ApiError(code, details);
}

const byStatus = new Map<number, ErrorCode>();
for (const [code, kind] of Object.entries(errorKinds)) {
  if (kind.status !== null) byStatus.set(kind.status, code as ErrorCode);
}

/** The code of an HTTP status: its own, else that of its class (another 4xx, 5xx, or a broken contract). */
export function codeOfStatus(status: number): ErrorCode {
  const own = byStatus.get(status);
  if (own) return own;
  if (status >= 400 && status < 500) return "conflict";
  return status >= 500 ? "internal" : "contract";
}
