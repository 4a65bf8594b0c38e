/** The error of a call that failed: what the service answered, or why no usable answer came. */
import type { Endpoint } from "../contract/define.ts";
import { findHttpErrorCode, type HttpErrorCode, httpErrors, type Issue } from "../contract/errors.ts";

/**
 * Why a call failed. `http_error` is a 4xx without a code of its own; `contract` is an answer that breaks the API's
 * contract; `invalid_input` is input that the contract refuses, so that nothing was sent.
 */
export type ClientErrorCode =
  | HttpErrorCode
  | "http_error"
  | "network"
  | "timeout"
  | "contract"
  | "invalid_input";

/** The endpoint that was called and the input it was called with. */
export interface FailedCall {
  readonly endpoint: Endpoint;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface ClientErrorDetails {
  /** The status received; null where no answer came. */
  readonly status?: number | null;
  /** What to do next, where the code alone does not say. */
  readonly hint?: string;
  readonly issues?: readonly Issue[];
  /** Further fields of the error body, such as `requiredScope` or `retryAfterMs`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly requestId?: string | null;
  readonly call?: FailedCall | null;
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
  /** Null where the failure is not that of an endpoint of the contract. */
  readonly call: FailedCall | null;

  constructor(code: ClientErrorCode, message: string, details: ClientErrorDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.code = code;
    this.status = details.status ?? null;
    this.hint = details.hint ?? null;
    this.issues = details.issues ?? [];
    this.extra = details.extra ?? {};
    this.requestId = details.requestId ?? null;
    this.call = details.call ?? null;
  }
}

/** The error of a response with status 400 or above. The service's own message is always part of its message. */
export function responseError(status: number, json: unknown, requestId: string | null): ClientError {
  const { error, issues, ...extra } = (typeof json === "object" && json !== null ? json : {}) as Record<
    string,
    unknown
  >;
  const code = findHttpErrorCode(status) ?? (status >= 500 ? "internal" : "http_error");
  return new ClientError(code, responseMessage(code, status, error), {
    issues: Array.isArray(issues) ? issues.filter(isIssue) : [],
    extra,
    status,
    requestId,
  });
}

function responseMessage(code: HttpErrorCode | "http_error", status: number, error: unknown): string {
  if (code === "http_error")
    return `HTTP ${status}: ${typeof error === "string" ? error : "no error message"}`;
  return typeof error === "string" ? error : `${httpErrors[code].message} (HTTP ${status})`;
}

/** Whether an entry of `issues` is one: a service may answer anything. */
function isIssue(given: unknown): given is Issue {
  const { path, message } = (given ?? {}) as Partial<Record<keyof Issue, unknown>>;
  return Array.isArray(path) && typeof message === "string";
}
