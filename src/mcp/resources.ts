/** Resources: games, builds and sessions under `playtest://`. */
import {
  ErrorCode,
  McpError,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplate,
} from "@modelcontextprotocol/sdk/types.js";
import { ClientError } from "../client/errors.ts";
import { getBuild } from "../contract/builds.ts";
import type { Endpoint } from "../contract/define.ts";
import { getGame } from "../contract/games.ts";
import { getSession, type Session } from "../contract/sessions.ts";
import { cleanLine } from "../render/text.ts";
import { type CallContext, type CallOptions, callApi } from "./call-api.ts";
import { errorResult } from "./error-results.ts";
import type { GameName, McpNameCache } from "./name-cache.ts";
import { buildReadResult } from "./tool-result.ts";
import { fence } from "./untrusted.ts";

interface ResourceKind {
  readonly template: ResourceTemplate;
  readonly endpoint: Endpoint;
  /** Matches the URI. Its groups are the values of `params`, percent-encoded. */
  readonly pattern: RegExp;
  readonly params: readonly string[];
}

const MIME = "text/plain";

/** `params` are the parameters of the endpoint whose values are in the URI, in this order. */
function defineKind(
  endpoint: Endpoint,
  uriTemplate: string,
  texts: { readonly name: string; readonly title: string },
  pattern: RegExp,
  params: readonly string[],
): ResourceKind {
  const template = { uriTemplate, ...texts, description: endpoint.summary, mimeType: MIME };
  return { template, endpoint, pattern, params };
}

const kinds: readonly ResourceKind[] = [
  defineKind(
    getGame,
    "playtest://games/{game}",
    { name: "game", title: "Game" },
    /^playtest:\/\/games\/([^/?#]+)$/,
    ["id"],
  ),
  defineKind(
    getBuild,
    "playtest://games/{game}/builds/{build}",
    { name: "build", title: "Build of a game" },
    /^playtest:\/\/games\/([^/?#]+)\/builds\/([^/?#]+)$/,
    ["game", "version"],
  ),
  defineKind(
    getSession,
    "playtest://sessions/{session}",
    { name: "session", title: "Session" },
    /^playtest:\/\/sessions\/([^/?#]+)$/,
    ["id"],
  ),
];

export const resourceTemplates: ResourceTemplate[] = kinds.map(({ template }) => template);

/** The number of listed sessions. Assistants find more with list_sessions. */
const MAX_LISTED_SESSIONS = 20;

/** Lists all games, the builds of the newest sessions, and the newest 20 sessions. */
export async function listResources(names: McpNameCache, context: CallContext): Promise<Resource[]> {
  const games = await names.games(context);
  const sessions = games.length === 0 ? [] : await names.sessions(null, context);
  return [
    ...games.map(gameResource),
    ...buildResources(games, sessions),
    ...sessions.slice(0, MAX_LISTED_SESSIONS).map(sessionResource),
  ];
}

const formatUri = (...parts: readonly string[]) =>
  `playtest://${parts.map((part) => encodeURIComponent(part.toWellFormed())).join("/")}`;

function gameResource({ slug, name }: GameName): Resource {
  return {
    uri: formatUri("games", slug),
    name: cleanLine(slug),
    title: cleanLine(fence(name)),
    mimeType: MIME,
  };
}

function buildResources(games: readonly GameName[], sessions: readonly Session[]): Resource[] {
  const byUri = new Map<string, Resource>();
  for (const { gameId, metadata } of sessions) {
    const slug = games.find(({ id }) => id === gameId)?.slug ?? gameId;
    const uri = formatUri("games", slug, "builds", metadata.gameVersion);
    const name = cleanLine(`${slug} ${fence(metadata.gameVersion)}`);
    byUri.set(uri, { uri, name, title: `Build ${name}`, mimeType: MIME });
  }
  return [...byUri.values()];
}

function sessionResource({ id, title }: Session): Resource {
  return {
    uri: formatUri("sessions", id),
    name: cleanLine(id),
    title: cleanLine(fence(title)),
    mimeType: MIME,
  };
}

/** Reads a resource as the text that the matching tool returns. Throws `McpError` if it does not exist or cannot be read. */
export async function readResource(
  uri: string,
  options: CallOptions,
  context: CallContext,
): Promise<ReadResourceResult> {
  const match = matchUri(uri);
  if (!match) throw new McpError(NOT_FOUND, `Unknown resource ${JSON.stringify(uri)}`, { uri });
  const { endpoint, input } = match;
  try {
    const response = await callApi(endpoint, input, options, context);
    const { content } = buildReadResult(endpoint, response, {
      chars: options.maxChars,
      part: null,
      skip: 0,
      offset: 0,
    });
    return {
      contents: content.flatMap((block) =>
        block.type === "text" ? [{ uri, mimeType: MIME, text: block.text }] : [],
      ),
    };
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof ClientError)) throw error;
    const [block] = errorResult(error, endpoint, input, options.toolsets).content;
    const message = block?.type === "text" ? block.text : error.message;
    throw new McpError(error.code === "not_found" ? NOT_FOUND : ErrorCode.InternalError, message, {
      uri,
      status: error.status,
    });
  }
}

/** The protocol's error code for a resource that does not exist. */
const NOT_FOUND = -32002;

function matchUri(uri: string): { endpoint: Endpoint; input: Record<string, string> } | null {
  for (const { pattern, params, endpoint } of kinds) {
    const values = pattern.exec(uri)?.slice(1).map(tryDecode);
    if (values === undefined || values.includes(null)) continue;
    return { endpoint, input: Object.fromEntries(params.map((name, index) => [name, values[index] ?? ""])) };
  }
  return null;
}

function tryDecode(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
