/** The SDK's HTTP transport, whose calls end with the request that they came by, and are bounded in number. */
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

/** How many more calls a key may have open. */
export interface CallLimiter {
  /** False when there are too many already. */
  acquire(): boolean;
  release(): void;
}

/** The calls of one POST that are not answered. */
class PostRequest {
  readonly ids = new Set<RequestId>();
}

const TOO_MANY_CALLS = {
  code: -32000,
  message: "Too many calls are open: wait for answers before asking for more",
};
const CANCELLED = { code: -32000, message: "Cancelled" };

export class HttpTransport extends WebStandardStreamableHTTPServerTransport {
  readonly #calls: CallLimiter;
  readonly #open = new Map<RequestId, PostRequest>();

  constructor(options: WebStandardStreamableHTTPServerTransportOptions, calls: CallLimiter) {
    super(options);
    this.#calls = calls;
  }

  /** Begins to pass messages on to who has set `onmessage` by now. */
  override async start(): Promise<void> {
    const pass = this.onmessage;
    this.onmessage = (message, extra) => {
      const post = extra?.authInfo?.extra?.post;
      if (isJSONRPCRequest(message) && post instanceof PostRequest && !this.#begin(message.id, post)) return;
      pass?.(message, extra);
      if ("method" in message && message.method === "notifications/cancelled")
        this.#endCancelled((message.params as { requestId?: RequestId } | undefined)?.requestId);
    };
    await super.start();
  }

  /** Answers one request; when its answer is given up by who asked, so are its calls. */
  override async handleRequest(request: Request): Promise<Response> {
    const post = new PostRequest();
    // What stands for the caller is handed on with each message: the one way to tell which request it came by.
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

  /** A cancelled request is never answered, so its stream is closed here; in a batch the others' stays open. */
  #endCancelled(id: RequestId | undefined): void {
    const post = id === undefined ? undefined : this.#open.get(id);
    if (id === undefined || !post) return;
    if (post.ids.size === 1) this.closeSSEStream(id);
    this.#forget(id);
    // Releases what the transport keeps of it; nobody may be there to read.
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

/** The same stream; `gone` is called when its reader gives it up. */
function onStreamCancel(body: ReadableStream<Uint8Array>, gone: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel(reason) {
      gone();
      await reader.cancel(reason);
    },
  });
}
