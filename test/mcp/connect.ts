/** Clients of the protocol's own SDK, in front of a service, a script or an address. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import type { Transport } from "../../src/client/transport.ts";
import { createMcpServer, type McpOptions } from "../../src/mcp/server.ts";
import { BASE_URL, type Clock, NOW, type TestService, transportOf } from "../harness.ts";

export interface Made {
  readonly client: Client;
  /** Every wait, ms: they pass at once, on the clock. */
  readonly waits: number[];
  readonly faults: unknown[];
  readonly clock: Clock;
}

/** A client in front of a transport, in this process. */
export async function connectTo(
  transport: Transport,
  key: string,
  options: Partial<McpOptions> = {},
): Promise<Made> {
  const [waits, faults, clock]: [number[], unknown[], Clock] = [[], [], { now: NOW }];
  const server = createMcpServer({
    client: {
      baseUrl: BASE_URL,
      key,
      transport,
      timeoutMs: 30_000,
      maxWaitMs: 0,
      waiting: {
        async sleep(ms, signal) {
          signal?.throwIfAborted();
          waits.push(ms);
          clock.now += ms;
        },
        random: () => 0.5,
        onWait: () => {},
      },
    },
    deadlineMs: 50_000,
    maxChars: 24_000,
    allowIngest: false,
    drawHeatmap: null,
    report: (message, error) => void faults.push(message, error),
    version: "0.0.0",
    now: () => clock.now,
    game: null,
    ...options,
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  const client = new Client({ name: "test", version: "0" });
  await client.connect(near);
  closing(() => client.close());
  return { client, waits, faults, clock };
}

/** A client in front of a service, in this process. */
export async function connect(service: TestService, options: Partial<McpOptions> = {}): Promise<Made> {
  return await connectTo(transportOf(service.app), service.keys.management, options);
}

/** A client over HTTP; its transport tells the session's id. */
export async function connectHttp(url: string, key: string) {
  const headers = { authorization: `Bearer ${key}` };
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } });
  const client = new Client({ name: "test", version: "0" });
  // The SDK's own class is not of its interface where absent and undefined differ.
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  closing(() => client.close());
  return { client, transport };
}

/** Closes what a test started, once it has ended. */
export function closing(close: () => Promise<unknown>): void {
  onTestFinished(async () => void (await close()));
}

/** Calls a tool. */
export async function callTool(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<CallToolResult> {
  return (await client.callTool({ name, arguments: args })) as CallToolResult;
}

/** The text of a result. */
export function textOf({ content }: CallToolResult): string {
  return content.map((one) => (one.type === "text" ? one.text : "")).join("\n");
}

/** The answer in a result, without what stands beside it. */
export function answerOf({ structuredContent }: CallToolResult): Record<string, unknown> {
  const { _notice, _cut, ...answer } = structuredContent ?? {};
  return answer;
}
