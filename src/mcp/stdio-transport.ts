/** The stdio transport of MCP: one JSON message per line on each of two streams. */
import { deserializeMessage, serializeMessage } from "@modelcontextprotocol/sdk/shared/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";

interface StdioStreams {
  read(): AsyncIterable<Uint8Array>;
  write(text: string): Promise<void>;
}

const MAX_LINE_CHARS = 10 * 1024 * 1024;
const BATCH_ERROR = { code: -32600, message: "Batches are not supported. Send one message per line." };

/** Closes when the input has ended and all requests have a response, or when `close` is called. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Resolves once the transport is closed. */
  readonly closed: Promise<void>;
  readonly #streams: StdioStreams;
  /** Removes a byte order mark. */
  readonly #decoder = new TextDecoder();
  /** The input after the last line feed. */
  #rest = "";
  /** Requests without a response. */
  readonly #openRequests = new Set<string | number>();
  #hasInputEnded = false;
  #isClosed = false;
  #resolveClosed: () => void = () => {};

  constructor(streams: StdioStreams) {
    this.#streams = streams;
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
  }

  async start(): Promise<void> {
    void this.#readAll();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return;
    try {
      await this.#streams.write(serializeMessage(message));
    } catch {
      // The client has closed its end of the stream.
      await this.close();
      return;
    }
    if ("id" in message && !("method" in message) && message.id !== undefined)
      this.#openRequests.delete(message.id);
    await this.#closeIfDone();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#rest = "";
    this.onclose?.();
    this.#resolveClosed();
  }

  async #readAll(): Promise<void> {
    try {
      for await (const chunk of this.#streams.read()) {
        if (this.#isClosed) return;
        this.#processInput(this.#decoder.decode(chunk, { stream: true }));
      }
      // The last line may have no line feed.
      if (this.#rest.trim() !== "") this.#processInput("\n");
    } catch (error) {
      this.onerror?.(error as Error);
    }
    this.#hasInputEnded = true;
    await this.#closeIfDone();
  }

  /** Processes each complete line. Throws if a line is too long. */
  #processInput(text: string): void {
    const lines = `${this.#rest}${text}`.split("\n");
    this.#rest = lines.pop() ?? "";
    if (this.#rest.length > MAX_LINE_CHARS)
      throw new Error(`a line is longer than ${MAX_LINE_CHARS} characters`);
    for (const line of lines) {
      try {
        this.#processLine(line);
      } catch (error) {
        // An invalid line does not affect the following ones.
        this.onerror?.(error as Error);
      }
    }
  }

  #processLine(line: string): void {
    if (line.trimStart().startsWith("[")) {
      this.#refuseBatch(JSON.parse(line));
      return;
    }
    const message = deserializeMessage(line);
    if (isJSONRPCRequest(message)) this.#openRequests.add(message.id);
    if (isJSONRPCNotification(message)) this.#forgetCancelled(message.params);
    this.onmessage?.(message);
  }

  /** Responds to each request of a batch with an error, so that the client does not wait for it. */
  #refuseBatch(batch: readonly unknown[]): void {
    this.onerror?.(new Error(BATCH_ERROR.message));
    for (const message of batch) {
      const { id, method } = (message ?? {}) as { id?: unknown; method?: unknown };
      if (!isRequestId(id) || method === undefined) continue;
      this.#openRequests.add(id);
      void this.send({ jsonrpc: "2.0", id, error: BATCH_ERROR });
    }
  }

  /** Stops waiting for the response of a cancelled request, because there will be none. */
  #forgetCancelled(params: unknown): void {
    const { requestId } = (params ?? {}) as { requestId?: unknown };
    if (isRequestId(requestId)) this.#openRequests.delete(requestId);
  }

  async #closeIfDone(): Promise<void> {
    if (this.#hasInputEnded && this.#openRequests.size === 0) await this.close();
  }
}

const isRequestId = (id: unknown): id is RequestId => typeof id === "string" || typeof id === "number";
