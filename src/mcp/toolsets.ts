/**
 * Sets of tools. The tools of the API document and `get_status` are always available. Every other tool belongs to one set,
 * because each tool takes space in the context of the model.
 */
import type { Endpoint } from "../contract/define.ts";
import type { OpenApiTag } from "../contract/openapi-tags.ts";

/** How an assistant's user adds sets of tools, for instructions and errors. */
export const ADD_TOOLSETS = "`playtest mcp --toolsets <sets>`, or `?toolsets=<sets>` in the URL of /mcp";

export const TOOLSETS = ["analytics", "players", "telemetry", "all"] as const;
export type Toolset = (typeof TOOLSETS)[number];

/** The sets of groups of endpoints. Tools of all other groups belong to `analytics`. */
const setsByTag: Partial<Record<OpenApiTag, Toolset>> = {
  testers: "players",
  handles: "players",
  batches: "players",
  games: "players",
  "bug-reports": "players",
  sessions: "telemetry",
  telemetry: "telemetry",
  webhooks: "telemetry",
};

/** The extension whose tool is always available, because it is the best start. */
const START = "getStatus";

/** Returns the set that a tool belongs to; null if it is always available. */
export function findToolset({ name, extension, tag }: Endpoint): Toolset | null {
  return extension && name !== START ? (setsByTag[tag] ?? "analytics") : null;
}

/** Whether the tool of an endpoint is available if these sets were requested. */
export function isToolIncluded(endpoint: Endpoint, toolsets: readonly Toolset[]): boolean {
  const toolset = findToolset(endpoint);
  return toolset === null || toolsets.includes("all") || toolsets.includes(toolset);
}

/** Reads a list of sets, separated by commas. Returns null if a name is unknown. */
export function parseToolsets(list: string): Toolset[] | null {
  const names = list.split(",").map((name) => TOOLSETS.find((toolset) => toolset === name.trim()));
  // In one order, because what is built for a list is kept.
  return names.includes(undefined) ? null : TOOLSETS.filter((toolset) => names.includes(toolset));
}
