/** The result of a request of a webhook. It is separate from sending, which loads an HTTP client. */

export interface WebhookResponse {
  readonly status: number;
  /** The start of the body. It is untrusted text. */
  readonly text: string;
  /** The wait that the receiver asks for, in ms, or null. */
  readonly retryAfterMs: number | null;
}

/** Why no response arrived. */
export type SendFault = "refused_address" | "timeout" | "connection";

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
