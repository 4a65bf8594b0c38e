/** MCP inside the service: tool calls at /mcp become API requests in the same process, with the caller's key. */
import type { ClientOptions } from "../client/client.ts";
import { createInProcessTransport, IN_PROCESS_URL } from "../client/transport.ts";
import { HttpError } from "../contract/errors.ts";
import { sleep } from "../shared/sleep.ts";
import { version } from "../shared/version.prepared.ts";
import { DEFAULT_DEADLINE_MS } from "./call-api.ts";
import type { McpOptions } from "./server.ts";
import { McpSessions } from "./sessions.ts";
import { DEFAULT_CHARS } from "./tool-result.ts";
import { parseToolsets, TOOLSETS, type Toolset } from "./toolsets.ts";

/** What the service provides. */
export interface McpHost
  extends Pick<McpOptions, "allowIngest" | "drawHeatmap" | "now" | "monotonicNow" | "report"> {
  /** Handles an API request without counting it toward the rate limit of the address again. */
  readonly fetch: (request: Request, address: string) => Promise<Response>;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
}

/** The sender of an MCP message. */
interface McpCaller {
  /** Identifies the key. MCP sessions are bound to it. */
  readonly owner: string;
  /** The text of the API key. */
  readonly key: string;
  readonly address: string;
}

/** Handles POST and DELETE requests to /mcp. */
export class McpHttp {
  readonly #host: McpHost;
  readonly #sessions: McpSessions;

  constructor(host: McpHost) {
    this.#host = host;
    this.#sessions = new McpSessions(host.monotonicNow, host.stopping);
  }

  async answer(request: Request, caller: McpCaller): Promise<Response> {
    return await this.#sessions.handle(request, {
      owner: caller.owner,
      options: this.#createOptions(caller, readToolsets(request)),
    });
  }

  #createOptions({ key, address }: McpCaller, toolsets: readonly Toolset[]): McpOptions {
    const { fetch, stopping: _stopping, ...rest } = this.#host;
    const client: ClientOptions = {
      baseUrl: IN_PROCESS_URL,
      key,
      transport: createInProcessTransport((request) => fetch(request, address)),
      timeoutMs: DEFAULT_DEADLINE_MS,
      maxWaitMs: DEFAULT_DEADLINE_MS,
      waiting: { sleep, random: () => Math.random(), onWait: () => {} },
    };
    const limits = { deadlineMs: DEFAULT_DEADLINE_MS, maxChars: DEFAULT_CHARS };
    return { ...rest, client, ...limits, toolsets, version, game: null };
  }
}

/** Reads the query parameter `toolsets` of a request. A session keeps the sets that it starts with. */
function readToolsets(request: Request): readonly Toolset[] {
  const list = new URL(request.url).searchParams.get("toolsets");
  const toolsets = list === null ? [] : parseToolsets(list);
  if (toolsets === null)
    throw new HttpError("bad_request", {
      message: `toolsets ${JSON.stringify(list)} is not a comma-separated list of ${TOOLSETS.join(", ")}`,
    });
  return toolsets;
}
