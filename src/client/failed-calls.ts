/** Says what a failed call asked for. */
import { ClientError, type FailedCall } from "./errors.ts";
import { describeNotFound } from "./not-found.ts";
import { endpointNotOffered, isNotOffered } from "./not-offered.ts";

/** Adds the failed call to errors whose message or hint depends on it. */
export function attachCall(error: ClientError, call: FailedCall): ClientError {
  if (isNotOffered(error, call)) return endpointNotOffered(error, call);
  if (error.code === "not_found") return describeNotFound(error, call);
  if (error.code !== "unauthorized") return error;
  const { message, status, requestId, extra } = error;
  return new ClientError("unauthorized", message, { status, requestId, extra, call, cause: error });
}
