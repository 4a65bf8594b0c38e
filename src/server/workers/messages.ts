/** What a service and its workers send each other. */
import { HttpError, type HttpErrorCode } from "../../contract/errors.ts";
import { DamagedData } from "../core/stored-data.ts";

/** What a new worker needs: the first message. */
export interface WorkerSetup extends DatabaseLocation {
  /** The version of the program that the service runs. */
  readonly version: string;
}

/** Where a worker finds the data. */
export interface DatabaseLocation {
  /** A file or the URL of a Postgres database. */
  readonly database: string;
  /** Maximum duration of a statement on Postgres, ms. */
  readonly statementTimeoutMs?: number;
}

export interface TaskMessage {
  readonly task: string;
  readonly input: unknown;
  /** The time of the service's clock, unix ms. */
  readonly now: number;
}

export type ResultMessage = { readonly output: unknown } | { readonly error: ErrorMessage };

/** An error as plain values, because copying an error keeps little more than its message. */
export type ErrorMessage = Readonly<Record<string, unknown>> & { readonly message: string };

export function describeError(error: unknown): ErrorMessage {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack } = error;
  return { ...JSON.parse(JSON.stringify(error)), name, message, stack };
}

/** Creates the error of a message. Errors that others check keep their class. */
export function createError({ message, name, stack, ...fields }: ErrorMessage): Error {
  if (name === "HttpError") return new HttpError(fields.code as HttpErrorCode, { message, ...fields });
  const error = name === "DamagedData" ? new DamagedData(message) : new Error(message);
  return Object.assign(error, fields, stack === undefined ? {} : { stack });
}
