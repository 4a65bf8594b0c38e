/** The SDK's HTTP transport with two additions: it limits open calls, and cancels calls whose client disconnects. */
import {
  WebStandardStreamableHTTPServerTransport,
  type WebStandardStreamableHTTPServerTransportOptions,
} from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";

/** Limits the number of open calls of one key. */
export interface CallLimiter {
  /** Counts one more open call. Returns false if the limit is reached. */
  acquire(): boolean;
  release(): void;
}

/** The open calls of one POST. */
class PostRequest {
  readonly ids = new Set<RequestId>();
}

const TOO_MANY_CALLS = {
  code: -32000,
  message: "Too many open calls. Wait for responses before making more calls.",
};
const CANCELLED = { code: -32000, message: "Cancelled" };

export class HttpTransport extends WebStandardStreamableHTTPServerTransport {
  readonly #calls: CallLimiter;
  readonly #open = new Map<RequestId, PostRequest>();

  constructor(options: WebStandardStreamableHTTPServerTransportOptions, calls: CallLimiter) {
    super(options);
    this.#calls = calls;
  }

  /** Wraps the `onmessage` handler that the server has set before this is called. */
  override async start(): Promise<void> {
    const forward = this.onmessage;
    this.onmessage = (message, extra) => {
      const post = extra?.authInfo?.extra?.post;
      if (isJSONRPCRequest(message) && post instanceof PostRequest && !this.#begin(message.id, post)) return;
      forward?.(message, extra);
      if ("method" in message && message.method === "notifications/cancelled")
        this.#endCancelled((message.params as { requestId?: RequestId } | undefined)?.requestId);
    };
    await super.start();
  }

  /** Handles one request. If the client stops reading the response, the calls of the request are cancelled. */
  override async handleRequest(request: Request): Promise<Response> {
    const post = new PostRequest();
    // authInfo is the only value that the SDK passes along with each message, so it carries the POST.
    const authInfo = { token: "", clientId: "", scopes: [], extra: { post } };
    const response = await super.handleRequest(request, { authInfo });
    if (response.body === null || post.ids.size === 0) return response;
    const body = onStreamCancel(response.body, () => {
      for (const requestId of [...post.ids])
        this.onmessage?.({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
    });
    return new Response(body, { status: response.status, headers: response.headers });
  }

  override async send(message: JSONRPCMessage, options?: { relatedRequestId?: RequestId }): Promise<void> {
    if ((isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) && message.id !== undefined)
      this.#forget(message.id);
    await super.send(message, options);
  }

  override async close(): Promise<void> {
    for (const id of [...this.#open.keys()]) this.#forget(id);
    await super.close();
  }

  #begin(id: RequestId, post: PostRequest): boolean {
    this.#forget(id);
    if (!this.#calls.acquire()) {
      void super.send({ jsonrpc: "2.0", id, error: TOO_MANY_CALLS }).catch(() => {});
      return false;
    }
    this.#open.set(id, post);
    post.ids.add(id);
    return true;
  }

  /**
   * Closes the stream of a cancelled call, which never gets a response. In a batch, the stream remains open for the
   * other calls.
   */
  #endCancelled(id: RequestId | undefined): void {
    const post = id === undefined ? undefined : this.#open.get(id);
    if (id === undefined || !post) return;
    if (post.ids.size === 1) this.closeSSEStream(id);
    this.#forget(id);
    // Makes the SDK's transport delete its record of the call. The client may already have disconnected.
    void super.send({ jsonrpc: "2.0", id, error: CANCELLED }).catch(() => {});
  }

  #forget(id: RequestId): void {
    const post = this.#open.get(id);
    if (!post) return;
    this.#open.delete(id);
    post.ids.delete(id);
    this.#calls.release();
  }
}

/** Returns the same stream and calls `onCancel` when its reader cancels it. */
function onStreamCancel(body: ReadableStream<Uint8Array>, onCancel: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel(reason) {
      onCancel();
      await reader.cancel(reason);
    },
  });
}
