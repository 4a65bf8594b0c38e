/** The MCP endpoint /mcp, for management keys. Its code is loaded on the first request. */
import { HttpError } from "../../contract/errors.ts";
import type { McpHost, McpHttp } from "../../mcp/http.ts";
import type { ApiKeyRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { isAllowedName } from "./host.ts";

/** The path that assistants connect to. */
export const MCP_PATH = "/mcp";

export interface McpSettings {
  /** Whether to offer the only tool that writes (default: false). */
  readonly allowIngest?: boolean;
  /** Draws a heatmap as PNG. Without it, the heatmap tool returns no images. */
  readonly drawHeatmap?: McpHost["drawHeatmap"];
}

/** One request and its sender. */
interface McpRequest {
  readonly request: Request;
  readonly key: ApiKeyRow;
  readonly address: string;
}

/** Handles the MCP requests of one app. MCP sessions end when the service stops. */
export class McpMount {
  readonly #load: () => Promise<McpHttp>;
  #http: Promise<McpHttp> | null = null;

  constructor(service: Service, settings: McpSettings, fetch: McpHost["fetch"]) {
    this.#load = async () => {
      const { McpHttp } = await import("../../mcp/http.ts");
      return new McpHttp({
        fetch,
        allowIngest: settings.allowIngest ?? false,
        drawHeatmap: settings.drawHeatmap ?? null,
        now: () => service.now(),
        monotonicNow: () => service.monotonicNow(),
        stopping: service.stopping,
        report: (message, error) => service.report(message, error),
      });
    };
  }

  async answer({ request, key, address }: McpRequest): Promise<Response> {
    this.#http ??= this.#load();
    const keyText = (request.headers.get("authorization") ?? "").replace(/^bearer +/i, "").trimEnd();
    return await (await this.#http).answer(request, { owner: key.hash, key: keyText, address });
  }
}

/** Throws `forbidden` if a web page sent the request and its origin is neither loopback nor one of `hostNames`. */
export function requireOwnOrigin(request: Request, hostNames: readonly string[]): void {
  const origin = request.headers.get("origin");
  if (origin === null) return;
  const isOwn = URL.canParse(origin) && isAllowedName(new URL(origin).hostname, hostNames);
  if (!isOwn)
    throw new HttpError("forbidden", {
      message: `Web pages of the origin ${JSON.stringify(origin)} cannot use the MCP endpoint`,
    });
}
