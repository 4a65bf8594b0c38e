/** Turns faults of sockets, names and certificates into the errors a person can act on. */
import { ClientError } from "./errors.ts";
import { MAX_RESPONSE_BYTES } from "./transport.ts";

const reasonsByCode: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was cut",
  EPIPE: "the connection was cut",
  UND_ERR_SOCKET: "the connection was cut",
  ENOTFOUND: "the host name is unknown",
  EAI_AGAIN: "the host name cannot be looked up now",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
};

const timeoutCodes = new Set([
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
]);

/** The ClientError of a transport's fault; a ClientError is returned unchanged. */
export function toClientError(cause: unknown, url: string): Error {
  if (cause instanceof ClientError) return cause;
  const { code = "", message = String(cause) } = (cause ?? {}) as { code?: string; message?: string };
  const { origin } = new URL(url);
  if (timeoutCodes.has(code))
    return new ClientError("timeout", `${origin} did not answer in time`, { cause });
  const certificate = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/.test(code);
  const reason =
    reasonsByCode[code] ?? (certificate ? `its certificate is not trusted (${code})` : message || code);
  const hint = certificate ? "Name the issuing CA's file in NODE_EXTRA_CA_CERTS." : undefined;
  return new ClientError("network", `${origin} cannot be reached: ${reason}`, {
    ...(hint ? { hint } : {}),
    cause,
  });
}

/** The error of a deadline that passed. */
export function deadlineError(url: string, timeoutMs: number): ClientError {
  const { origin } = new URL(url);
  return new ClientError("timeout", `${origin} did not answer within ${timeoutMs / 1000} s`);
}

/** The error of an answer that is too large to be one. */
export function tooLargeError(url: string): ClientError {
  const { origin } = new URL(url);
  return new ClientError("contract", `${origin} sent more than ${MAX_RESPONSE_BYTES / 2 ** 20} MiB`);
}
