/** The protocol over two streams: a message a line, read as they come, written whole. */
import { deserializeMessage, serializeMessage } from "@modelcontextprotocol/sdk/shared/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";

export interface StdioStreams {
  read(): AsyncIterable<Uint8Array>;
  write(text: string): Promise<void>;
}

/** Characters of a line at most. */
const MAX_LINE_CHARS = 10 * 1024 * 1024;
const BATCH_ERROR = { code: -32600, message: "Batches are not taken: send one message a line" };

/** Ends when its input ends and every request that came is answered, or when it is closed. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Resolves once the transport is closed. */
  readonly closed: Promise<void>;
  readonly #lines: StdioStreams;
  /** Passes over a byte order mark. */
  readonly #decoder = new TextDecoder();
  /** What came after the last line feed. */
  #rest = "";
  /** Requests that came and are not answered. */
  readonly #open = new Set<string | number>();
  #ended = false;
  #isClosed = false;
  #tellClosed: () => void = () => {};

  constructor(lines: StdioStreams) {
    this.#lines = lines;
    this.closed = new Promise((resolve) => {
      this.#tellClosed = resolve;
    });
  }

  async start(): Promise<void> {
    void this.#readAll();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return;
    try {
      await this.#lines.write(serializeMessage(message));
    } catch {
      // Nobody reads any more.
      await this.close();
      return;
    }
    if ("id" in message && !("method" in message) && message.id !== undefined) this.#open.delete(message.id);
    await this.#endIfDone();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#rest = "";
    this.onclose?.();
    this.#tellClosed();
  }

  async #readAll(): Promise<void> {
    try {
      for await (const chunk of this.#lines.read()) {
        if (this.#isClosed) return;
        this.#take(this.#decoder.decode(chunk, { stream: true }));
      }
      // The last line may end with the input.
      if (this.#rest.trim() !== "") this.#take("\n");
    } catch (error) {
      this.onerror?.(error as Error);
    }
    this.#ended = true;
    await this.#endIfDone();
  }

  /** Takes each line that is whole by now. Throws for one that is too long. */
  #take(text: string): void {
    const lines = `${this.#rest}${text}`.split("\n");
    this.#rest = lines.pop() ?? "";
    if (this.#rest.length > MAX_LINE_CHARS)
      throw new Error(`a line is longer than ${MAX_LINE_CHARS} characters`);
    for (const line of lines) {
      try {
        this.#takeLine(line);
      } catch (error) {
        // The next line may be sound.
        this.onerror?.(error as Error);
      }
    }
  }

  #takeLine(line: string): void {
    if (line.trimStart().startsWith("[")) {
      this.#refuseBatch(JSON.parse(line));
      return;
    }
    const message = deserializeMessage(line);
    if (isJSONRPCRequest(message)) this.#open.add(message.id);
    if (isJSONRPCNotification(message)) this.#forgetCancelled(message.params);
    this.onmessage?.(message);
  }

  /** Answers each request of a batch with an error, so that nobody waits for it. */
  #refuseBatch(batch: readonly unknown[]): void {
    this.onerror?.(new Error(BATCH_ERROR.message));
    for (const one of batch) {
      const { id, method } = (one ?? {}) as { id?: unknown; method?: unknown };
      if (!isRequestId(id) || method === undefined) continue;
      this.#open.add(id);
      void this.send({ jsonrpc: "2.0", id, error: BATCH_ERROR });
    }
  }

  /** A cancelled request is never answered. */
  #forgetCancelled(params: unknown): void {
    const { requestId } = (params ?? {}) as { requestId?: unknown };
    if (isRequestId(requestId)) this.#open.delete(requestId);
  }

  async #endIfDone(): Promise<void> {
    if (this.#ended && this.#open.size === 0) await this.close();
  }
}

const isRequestId = (id: unknown): id is RequestId => typeof id === "string" || typeof id === "number";
