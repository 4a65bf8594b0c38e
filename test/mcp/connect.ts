/** MCP clients from the protocol's SDK, connected to a service, a transport or a URL. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import type { Transport } from "../../src/client/transport.ts";
import { createMcpServer, type McpOptions } from "../../src/mcp/server.ts";
import { BASE_URL, type Clock, createAppTransport, NOW, type TestService } from "../harness.ts";

export interface McpConnection {
  readonly client: Client;
  /** The length of each wait in ms. Waits end at once and advance the clock. */
  readonly waits: number[];
  /** The arguments of each call of `report`. */
  readonly faults: unknown[];
  readonly clock: Required<Clock>;
}

/** Connects a client, in this process, to a server that uses a transport. */
export async function connectTo(
  transport: Transport,
  key: string,
  options: Partial<McpOptions> = {},
): Promise<McpConnection> {
  const [waits, faults, clock]: [number[], unknown[], Required<Clock>] = [[], [], { now: NOW, elapsed: 0 }];
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
          clock.elapsed += ms;
        },
        random: () => 0.5,
        onWait: () => {},
      },
    },
    deadlineMs: 50_000,
    maxChars: 24_000,
    allowIngest: false,
    toolsets: [],
    drawHeatmap: null,
    report: (message, error) => void faults.push(message, error),
    version: "0.0.0",
    now: () => clock.now,
    monotonicNow: () => clock.elapsed,
    game: null,
    ...options,
  });
  const [clientTransport, serverTransport] = InMemoryTransport.createLinkedPair();
  await server.connect(serverTransport);
  const client = new Client({ name: "test", version: "0" });
  await client.connect(clientTransport);
  closing(() => client.close());
  return { client, waits, faults, clock };
}

/** Connects a client, in this process, to a server that uses a test service. */
export async function connect(
  service: TestService,
  options: Partial<McpOptions> = {},
): Promise<McpConnection> {
  return await connectTo(createAppTransport(service.app), service.keys.management, options);
}

/** Connects a client over HTTP. The returned transport has the id of the session. */
export async function connectHttp(url: string, key: string, query = "") {
  const headers = { authorization: `Bearer ${key}` };
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp${query}`), {
    requestInit: { headers },
  });
  const client = new Client({ name: "test", version: "0" });
  // The class declares callbacks as possibly undefined, the interface as optional (exactOptionalPropertyTypes).
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  closing(() => client.close());
  return { client, transport };
}

/** Runs `close` at the end of the current test. */
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
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

/** The response in a result, without the properties that the MCP server adds. */
export function answerOf({ structuredContent }: CallToolResult): Record<string, unknown> {
  const { _notice, _note, _untrusted, _cut, ...answer } = structuredContent ?? {};
  return answer;
}
