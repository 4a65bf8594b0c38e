/** Detects endpoints and parameters that a service does not offer, because they are extensions of the API document. */
import { ENDPOINT_HEADER } from "../contract/define.ts";
import { ClientError, type FailedCall } from "./errors.ts";

/** The statuses with which a service answers an unknown path or method. */
const UNKNOWN_PATH_STATUSES: readonly (number | null)[] = [404, 405];

/**
 * Whether an error means that the service has no such endpoint. A playtest service names the endpoint of an extension in
 * a header of its errors, so its own 404 for an unknown name is never one of these.
 */
export function isNotOffered({ status, headers }: ClientError, { endpoint }: FailedCall): boolean {
  return (
    endpoint.extension && UNKNOWN_PATH_STATUSES.includes(status) && headers[ENDPOINT_HEADER] !== endpoint.name
  );
}

/** The error for an endpoint that the service does not offer. */
export function endpointNotOffered(
  error: Pick<ClientError, "status" | "requestId"> & { readonly cause?: unknown },
  call: FailedCall,
): ClientError {
  const { method, path, summary } = call.endpoint;
  const purpose = summary.charAt(0).toLowerCase() + summary.slice(1);
  const { status, requestId } = error;
  return new ClientError(
    "unsupported",
    `This service does not offer ${method} ${path} (${purpose}); it is an extension of playtest's own service`,
    { status, requestId, call, cause: error },
  );
}

/** The error for a parameter that the service does not offer. */
export function parameterNotOffered(name: string, call: FailedCall): ClientError {
  const { endpoint, input } = call;
  return new ClientError(
    "unsupported",
    `This service does not offer ${name} ${JSON.stringify(input[name])} in ${endpoint.method} ${endpoint.path}; it is an extension of playtest's own service`,
    { call },
  );
}
