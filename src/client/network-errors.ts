/** Translates socket, DNS and TLS errors into messages that people can act on. */
import { ClientError } from "./errors.ts";
import { MAX_RESPONSE_BYTES } from "./transport.ts";

const reasonsByCode: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "the connection was closed",
  EPIPE: "the connection was closed",
  UND_ERR_SOCKET: "the connection was closed",
  ENOTFOUND: "unknown host name",
  EAI_AGAIN: "DNS lookup failed temporarily",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no route to the network",
};

const timeoutCodes = new Set([
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
]);

/** Converts an error of a transport to a ClientError; returns a ClientError unchanged. */
export function toClientError(cause: unknown, url: string): Error {
  if (cause instanceof ClientError) return cause;
  const { code = "", message = String(cause) } = (cause ?? {}) as { code?: string; message?: string };
  const { origin } = new URL(url);
  if (timeoutCodes.has(code))
    return new ClientError("timeout", `${origin} did not respond in time`, { cause });
  const isCertificateError = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/.test(code);
  const reason =
    reasonsByCode[code] ??
    (isCertificateError ? `its certificate is not trusted (${code})` : message || code);
  const hint = isCertificateError
    ? "Set NODE_EXTRA_CA_CERTS to the certificate file of the issuing CA."
    : undefined;
  return new ClientError("network", `Cannot reach ${origin}: ${reason}`, {
    ...(hint ? { hint } : {}),
    cause,
  });
}

/** The error of a request that took too long. */
export function deadlineError(url: string, timeoutMs: number): ClientError {
  const { origin } = new URL(url);
  return new ClientError("timeout", `${origin} did not respond within ${timeoutMs / 1000} s`);
}

/** The error of a response larger than MAX_RESPONSE_BYTES. */
export function tooLargeError(url: string): ClientError {
  const { origin } = new URL(url);
  return new ClientError(
    "contract",
    `${origin} sent a response larger than ${MAX_RESPONSE_BYTES / 2 ** 20} MiB`,
  );
}
