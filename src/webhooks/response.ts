/** The result of a request of a webhook. It is separate from sending, which loads an HTTP client. */

export interface WebhookResponse {
  readonly status: number;
  /** The start of the body. It is untrusted text. */
  readonly text: string;
  /** The wait that the receiver asks for, in ms, or null. */
  readonly retryAfterMs: number | null;
}

/** The kinds of failures: of a status that is not 2xx, without a response, and of a token that cannot be decrypted. */
export const deliveryFailures = [
  ...(["redirect", "refused", "server_error"] as const),
  ...(["refused_address", "timeout", "connection"] as const),
  "token",
] as const;
export type DeliveryFailure = (typeof deliveryFailures)[number];

/** The kind of failure of a status that is not 2xx. */
export function toFailure(status: number): DeliveryFailure {
  if (status >= 500) return "server_error";
  return status >= 400 ? "refused" : "redirect";
}

/** Why no response arrived. */
export type SendFault = Extract<DeliveryFailure, "refused_address" | "timeout" | "connection">;

/** A request without a response. The message does not contain the URL, which may contain a secret. */
export class SendError extends Error {
  override readonly name = "SendError";
  readonly fault: SendFault;

  constructor(fault: SendFault, message: string, cause: unknown) {
    super(message, { cause });
    this.fault = fault;
  }
}

/** Whether the receiver accepted the request. */
export const isAccepted = ({ status }: WebhookResponse) => status >= 200 && status < 300;
