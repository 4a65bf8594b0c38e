/** Errors of the service that answer no request: for whoever runs or administers it. */

export type ServiceErrorCode =
  /** A value that an administrative operation does not accept. */
  | "invalid"
  /** What an administrative operation needs does not exist. */
  | "not_found"
  /** The operation does not fit the state of what it changes. */
  | "conflict"
  /** A database, archive, driver or port that the service cannot use. */
  | "unusable";

export interface ServiceErrorDetails {
  readonly message: string;
  /** What to do next; absent where the message says it. */
  readonly hint?: string;
  readonly cause?: unknown;
}

export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: ServiceErrorCode;
  readonly hint: string | null;

  constructor(code: ServiceErrorCode, { message, hint, cause }: ServiceErrorDetails) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.hint = hint ?? null;
  }
}
