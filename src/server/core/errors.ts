/** Errors for the operator of the service, as opposed to `HttpError` for clients. */

export type ServiceErrorCode =
  /** An argument of an administrative operation is not valid. */
  | "invalid"
  /** An administrative operation names something that does not exist. */
  | "not_found"
  /** The operation is not possible in the current state. */
  | "conflict"
  /** Another process uses the database. */
  | "in_use"
  /** The service cannot use a database, archive, driver or port. */
  | "unusable";

interface ServiceErrorDetails {
  readonly message: string;
  /** What to do next, in the imperative. */
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
