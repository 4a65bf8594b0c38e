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
  const certificateError = findCertificateError(code);
  if (certificateError) {
    const { reason, hint } = certificateError;
    // Every attempt would receive the same certificate.
    const details = { hint, retryable: false, cause };
    return new ClientError("network", `Cannot reach ${origin}: its certificate ${reason} (${code})`, details);
  }
  const reason = reasonsByCode[code] ?? (message || code);
  return new ClientError("network", `Cannot reach ${origin}: ${reason}`, { cause });
}

/** What is wrong with a certificate, and what to do about it. */
interface CertificateError {
  readonly reason: string;
  readonly hint: string;
}

const certificateErrors: Readonly<Record<string, CertificateError>> = {
  CERT_HAS_EXPIRED: {
    reason: "has expired",
    hint: "Renew the certificate, and check the clock of this machine.",
  },
  CERT_NOT_YET_VALID: {
    reason: "is not valid yet",
    hint: "Check the clock of this machine and the certificate.",
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    reason: "is for another host name",
    hint: "Use a base URL with a host name of the certificate.",
  },
};

/** Why Node rejected the certificate of the service; null for other errors. */
function findCertificateError(code: string): CertificateError | null {
  const known = Object.hasOwn(certificateErrors, code) ? certificateErrors[code] : undefined;
  if (known) return known;
  if (!/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|INVALID_CA|INVALID_PURPOSE/.test(code)) return null;
  return {
    reason: "is not trusted",
    hint: "Set NODE_EXTRA_CA_CERTS to the certificate file of the issuing CA.",
  };
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
