/** The errors of the API. */

interface HttpErrorKind {
  readonly status: number;
  readonly message: string;
}

/** Every error that the service returns, by code. */
export const httpErrors = {
  bad_request: { status: 400, message: "Bad request" },
  unauthorized: { status: 401, message: "Invalid key" },
  payment_required: { status: 402, message: "Payment required" },
  forbidden: { status: 403, message: "Forbidden" },
  not_found: { status: 404, message: "Not found" },
  method_not_allowed: { status: 405, message: "Method not allowed" },
  conflict: { status: 409, message: "Conflict" },
  payload_too_large: { status: 413, message: "Request body too large" },
  unsupported_media_type: { status: 415, message: "Unsupported media type" },
  misdirected: { status: 421, message: "Unknown host" },
  rate_limited: { status: 429, message: "Rate limit exceeded" },
  internal: { status: 500, message: "Internal error" },
  unavailable: { status: 503, message: "Unavailable" },
  storage_full: { status: 507, message: "The database has reached its maximum size" },
} as const satisfies Record<string, HttpErrorKind>;

/** How the message of a 401 for an expired key begins. */
export const KEY_EXPIRED = "Key expired";

export type HttpErrorCode = keyof typeof httpErrors;

/** One invalid field of a 400, as the service sends it. */
export interface Issue {
  /** Where the value is: the parameter's name, or the path inside the body. */
  readonly path: ReadonlyArray<string | number>;
  /** The kind of rule it breaks, such as `too_small` or `invalid_value`. */
  readonly code: string;
  /** A sentence for people that names what is allowed. */
  readonly message: string;
}

/** Puts the invalid value before the message of an issue. Most messages continue the sentence, as in `env must not be empty`. */
export function describeIssue(subject: string, message: string): string {
  return `${subject}${/^(must|is|has) /.test(message) ? "" : ":"} ${message}`;
}

/** The messages for a range whose start is after its end, by field. */
export const RANGE_ORDER_MESSAGES = {
  from: "must not be after to",
  to: "must not be before from",
} as const;

interface HttpErrorDetails {
  readonly message?: string;
  readonly issues?: readonly Issue[];
  /** Further fields of the error body, such as `requiredScope` or `retryAfterMs`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** An error that the service returns. Thrown by handlers and checks; the service turns it into a response. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly code: HttpErrorCode;
  readonly status: number;
  readonly issues: readonly Issue[];
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(code: HttpErrorCode, details: HttpErrorDetails = {}) {
    const { status, message } = httpErrors[code];
    super(details.message ?? message, details.cause === undefined ? {} : { cause: details.cause });
    this.code = code;
    this.status = status;
    this.issues = details.issues ?? [];
    this.extra = details.extra ?? {};
  }
}

const codes = Object.keys(httpErrors) as HttpErrorCode[];
const codesByStatus = new Map<number, HttpErrorCode>(codes.map((code) => [httpErrors[code].status, code]));

/** The code of an HTTP status; null for a status without its own code. */
export function findHttpErrorCode(status: number): HttpErrorCode | null {
  return codesByStatus.get(status) ?? null;
}

/** The values of `reason` in a 404 for game clients: what is unknown. */
const unknownNameReasons = [
  "unknown_game",
  "unknown_session",
  "unknown_form",
  "unknown_claim_token",
  "unknown_receiver",
] as const;
export type UnknownNameReason = (typeof unknownNameReasons)[number];

/** The value of `reason` in a 409 for game clients: the session or its tester was erased. */
export const ERASED = "erased";

/** The value of `reason` in a 400: the request names no game, and the key is not limited to one. */
export const GAME_REQUIRED = "game_required";

/** The values of `reason` in a 404 for a filter that no session matches: what the game does not have. */
export const unknownFilterReasons = [
  "unknown_event",
  "unknown_room",
  "unknown_tag",
  "unknown_tester",
  "unknown_environment",
] as const;
export type UnknownFilterReason = (typeof unknownFilterReasons)[number];
