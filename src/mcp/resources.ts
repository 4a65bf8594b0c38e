/** Resources: games, sessions and builds under `playtest://`, listed, read and completed. */
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
import { type CallContext, type CallOptions, callApi } from "./call.ts";
import { errorResult } from "./error-results.ts";
import type { GameName, McpNameCache } from "./name-cache.ts";
import { buildReadResult } from "./tool-result.ts";

interface ResourceKind {
  readonly template: ResourceTemplate;
  readonly endpoint: Endpoint;
  /** The parts of a URI that are parameters of the endpoint, in their order. */
  readonly pattern: RegExp;
  readonly params: readonly string[];
}

const MIME = "text/plain";

const kinds: readonly ResourceKind[] = [
  {
    template: {
      uriTemplate: "playtest://games/{game}",
      name: "game",
      title: "A game",
      description: getGame.summary,
      mimeType: MIME,
    },
    endpoint: getGame,
    pattern: /^playtest:\/\/games\/([^/?#]+)$/,
    params: ["id"],
  },
  {
    template: {
      uriTemplate: "playtest://games/{game}/builds/{build}",
      name: "build",
      title: "A build of a game",
      description: getBuild.summary,
      mimeType: MIME,
    },
    endpoint: getBuild,
    pattern: /^playtest:\/\/games\/([^/?#]+)\/builds\/([^/?#]+)$/,
    params: ["game", "version"],
  },
  {
    template: {
      uriTemplate: "playtest://sessions/{session}",
      name: "session",
      title: "A session",
      description: getSession.summary,
      mimeType: MIME,
    },
    endpoint: getSession,
    pattern: /^playtest:\/\/sessions\/([^/?#]+)$/,
    params: ["id"],
  },
];

export const resourceTemplates: ResourceTemplate[] = kinds.map(({ template }) => template);

/** Sessions that are listed; more are found with list_sessions. */
const MAX_LISTED_SESSIONS = 20;

/** Every game, the builds of the newest sessions, and the newest of those. */
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
  return { uri: formatUri("games", slug), name: cleanLine(slug), title: cleanLine(name), mimeType: MIME };
}

function buildResources(games: readonly GameName[], sessions: readonly Session[]): Resource[] {
  const found = new Map<string, Resource>();
  for (const { gameId, metadata } of sessions) {
    const slug = games.find(({ id }) => id === gameId)?.slug ?? gameId;
    const at = formatUri("games", slug, "builds", metadata.gameVersion);
    const name = cleanLine(`${slug} ${metadata.gameVersion}`);
    found.set(at, { uri: at, name, title: `Build ${name}`, mimeType: MIME });
  }
  return [...found.values()];
}

function sessionResource({ id, title }: Session): Resource {
  return { uri: formatUri("sessions", id), name: cleanLine(id), title: cleanLine(title), mimeType: MIME };
}

/** What a URI names, as the tools' text. Throws the protocol's error for what is not there. */
export async function readResource(
  uri: string,
  options: CallOptions,
  context: CallContext,
): Promise<ReadResourceResult> {
  const found = matchUri(uri);
  if (!found) throw new McpError(NOT_FOUND, `No resource ${uri}`, { uri });
  const { endpoint, input } = found;
  try {
    const answer = await callApi(endpoint, input, options, context);
    const { content } = buildReadResult(endpoint, answer, {
      chars: options.maxChars,
      part: null,
      skip: 0,
      offset: 0,
    });
    return {
      contents: content.flatMap((one) =>
        one.type === "text" ? [{ uri, mimeType: MIME, text: one.text }] : [],
      ),
    };
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof ClientError)) throw error;
    const [told] = errorResult(error, endpoint, input).content;
    const message = told?.type === "text" ? told.text : error.message;
    throw new McpError(error.code === "not_found" ? NOT_FOUND : ErrorCode.InternalError, message, {
      uri,
      status: error.status,
    });
  }
}

/** The protocol's code of a resource that is not there. */
const NOT_FOUND = -32002;

function matchUri(uri: string): { endpoint: Endpoint; input: Record<string, string> } | null {
  for (const { pattern, params, endpoint } of kinds) {
    const values = pattern.exec(uri)?.slice(1).map(tryDecode);
    if (values === undefined || values.includes(null)) continue;
    return { endpoint, input: Object.fromEntries(params.map((name, at) => [name, values[at] ?? ""])) };
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
