/** Errors of failed calls: the error response of the service, or why there was no usable response. */
import type { Endpoint } from "../contract/define.ts";
import { findHttpErrorCode, type HttpErrorCode, httpErrors, type Issue } from "../contract/errors.ts";

/**
 * Why a call failed. `http_error` is a 4xx without its own code; `contract` is a response that breaks the API contract;
 * `unsupported` is an extension that the service does not offer; `invalid_input` is input that does not match the
 * contract, so no request was sent.
 */
export type ClientErrorCode =
  | HttpErrorCode
  | "http_error"
  | "network"
  | "timeout"
  | "contract"
  | "unsupported"
  | "invalid_input";

/** The endpoint that was called and the input it was called with. */
export interface FailedCall {
  readonly endpoint: Endpoint;
  readonly input: Readonly<Record<string, unknown>>;
}

interface ClientErrorDetails {
  /** The HTTP status; null without a response. */
  readonly status?: number | null;
  /** What to do next, if it does not follow from the code. */
  readonly hint?: string;
  readonly issues?: readonly Issue[];
  /** Further fields of the error body, such as `requiredScope` or `retryAfterMs`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly requestId?: string | null;
  /** The headers of the response. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly call?: FailedCall | null;
  /** Whether the same request may succeed if it is repeated (default: true). */
  readonly retryable?: boolean;
  readonly cause?: unknown;
}

export class ClientError extends Error {
  override readonly name = "ClientError";
  readonly code: ClientErrorCode;
  readonly status: number | null;
  readonly hint: string | null;
  readonly issues: readonly Issue[];
  readonly extra: Readonly<Record<string, unknown>>;
  readonly requestId: string | null;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Null if the failed request was not to an endpoint of the contract. */
  readonly call: FailedCall | null;
  /** False for a network error that every attempt would repeat, such as a certificate that is not trusted. */
  readonly retryable: boolean;

  constructor(code: ClientErrorCode, message: string, details: ClientErrorDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.code = code;
    this.status = details.status ?? null;
    this.hint = details.hint ?? null;
    this.issues = details.issues ?? [];
    this.extra = details.extra ?? {};
    this.requestId = details.requestId ?? null;
    this.headers = details.headers ?? {};
    this.call = details.call ?? null;
    this.retryable = details.retryable ?? true;
  }
}

/** The error of a response with status 400 or above. Its message always contains the service's message. */
export function responseError(
  status: number,
  json: unknown,
  headers: Readonly<Record<string, string | undefined>>,
): ClientError {
  const { error, issues, ...extra } = (typeof json === "object" && json !== null ? json : {}) as Record<
    string,
    unknown
  >;
  const code = findHttpErrorCode(status) ?? (status >= 500 ? "internal" : "http_error");
  return new ClientError(code, responseMessage(code, status, error), {
    issues: Array.isArray(issues) ? issues.filter(isIssue) : [],
    extra,
    status,
    headers,
    requestId: headers["x-request-id"] ?? null,
  });
}

function responseMessage(code: HttpErrorCode | "http_error", status: number, error: unknown): string {
  if (code === "http_error")
    return `HTTP ${status}: ${typeof error === "string" ? error : "no error message"}`;
  return typeof error === "string" ? error : `${httpErrors[code].message} (HTTP ${status})`;
}

/** Checks the shape of an issue: a service may return anything. */
function isIssue(value: unknown): value is Issue {
  const { path, message } = (value ?? {}) as Partial<Record<keyof Issue, unknown>>;
  return Array.isArray(path) && typeof message === "string";
}
