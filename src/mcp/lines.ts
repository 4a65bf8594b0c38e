/** The protocol over two streams: a message a line, read as they come, written whole. */
import { ReadBuffer, serializeMessage } from "@modelcontextprotocol/sdk/shared/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
} from "@modelcontextprotocol/sdk/types.js";

export interface Lines {
  read(): AsyncIterable<Uint8Array>;
  write(text: string): Promise<void>;
}

/** Ends when its input ends and every request that came is answered, or when it is closed. */
export class LinesTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Resolves once the transport is closed. */
  readonly closed: Promise<void>;
  readonly #lines: Lines;
  readonly #buffer = new ReadBuffer();
  /** Requests that came and are not answered. */
  readonly #open = new Set<string | number>();
  #ended = false;
  #isClosed = false;
  #tellClosed: () => void = () => {};

  constructor(lines: Lines) {
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
    this.#buffer.clear();
    this.onclose?.();
    this.#tellClosed();
  }

  async #readAll(): Promise<void> {
    try {
      for await (const chunk of this.#lines.read()) {
        if (this.#isClosed) return;
        this.#buffer.append(Buffer.from(chunk));
        this.#takeMessages();
      }
    } catch (error) {
      this.onerror?.(error as Error);
    }
    this.#ended = true;
    await this.#endIfDone();
  }

  #takeMessages(): void {
    for (;;) {
      try {
        const message = this.#buffer.readMessage();
        if (message === null) return;
        if (isJSONRPCRequest(message)) this.#open.add(message.id);
        if (isJSONRPCNotification(message)) this.#forgetCancelled(message.params);
        this.onmessage?.(message);
      } catch (error) {
        // The line is gone from the buffer, and the next may be sound.
        this.onerror?.(error as Error);
      }
    }
  }

  /** A cancelled request is never answered. */
  #forgetCancelled(params: unknown): void {
    const { requestId } = (params ?? {}) as { requestId?: unknown };
    if (typeof requestId === "string" || typeof requestId === "number") this.#open.delete(requestId);
  }

  async #endIfDone(): Promise<void> {
    if (this.#ended && this.#open.size === 0) await this.close();
  }
}
