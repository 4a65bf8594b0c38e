/** The MCP surface at /mcp: for management keys, and for no page of another origin. Loaded when it is first asked. */
import { HttpError } from "../../contract/errors.ts";
import type { McpHost, McpHttp } from "../../mcp/http.ts";
import type { ApiKeyRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { isAllowedName } from "./host.ts";

/** Where assistants connect. */
export const MCP_PATH = "/mcp";

/** How the surface is set up: what it may write, and what draws its pictures. */
export interface McpSettings {
  /** Offer the one tool that writes; not unless told. */
  readonly allowIngest?: boolean;
  /** Draws a heatmap as PNG; without it, asked for a picture, the tool says that it has none. */
  readonly drawHeatmap?: McpHost["drawHeatmap"];
}

/** One request and who sends it. */
export interface McpRequest {
  readonly request: Request;
  readonly key: ApiKeyRow;
  readonly address: string;
}

/** Answers the requests of one app; its sessions end with the service. */
export class McpMount {
  readonly #make: () => Promise<McpHttp>;
  #http: Promise<McpHttp> | null = null;

  constructor(service: Service, settings: McpSettings, fetch: McpHost["fetch"]) {
    this.#make = async () => {
      const { McpHttp } = await import("../../mcp/http.ts");
      return new McpHttp({
        fetch,
        allowIngest: settings.allowIngest ?? false,
        drawHeatmap: settings.drawHeatmap ?? null,
        now: () => service.now(),
        stopping: service.stopping,
        report: (message, error) => service.report(message, error),
      });
    };
  }

  async answer({ request, key, address }: McpRequest): Promise<Response> {
    this.#http ??= this.#make();
    const text = (request.headers.get("authorization") ?? "").replace(/^bearer +/i, "").trimEnd();
    return await (await this.#http).answer(request, { owner: key.hash, key: text, address });
  }
}

/** Throws `forbidden` for a page of an origin that is neither this machine nor a name the service answers to. */
export function requireOwnOrigin(request: Request, hostNames: readonly string[]): void {
  const origin = request.headers.get("origin");
  if (origin === null) return;
  const isOwn = URL.canParse(origin) && isAllowedName(new URL(origin).hostname, hostNames);
  if (!isOwn)
    throw new HttpError("forbidden", { message: "Pages of this origin may not use the MCP surface" });
}
