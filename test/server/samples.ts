/** One valid request for every endpoint, and a world of play that answers it. */
import { expect } from "vitest";
import type { Endpoint } from "../../src/contract/define.ts";
import { type EndpointName, endpoints } from "../../src/contract/index.ts";
import { ensureGame, type NewKeys } from "../../src/server/accounts.ts";
import { NOW, type TestService } from "../harness.ts";

/** Play of one account, by the names a request may use. */
export interface World {
  readonly keys: NewKeys;
  readonly gameId: string;
  readonly slug: string;
  readonly sessionId: string;
  readonly version: string;
  readonly later: string;
  readonly deviceId: string;
}

/** A request that is answered with the endpoint's own status. */
export interface Sample {
  readonly params: Readonly<Record<string, string>>;
  /** The required query parameters. */
  readonly query: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** The parameters or body fields that name something: unknown, they get 404. */
  readonly names: Readonly<Record<string, readonly string[]>>;
}

/** The samples: an endpoint that has none does not compile, and fails the first conformance test. */
export const samples: { readonly [Name in EndpointName]: (world: World) => Sample } = {
  listGames: () => ({ params: {}, query: {}, names: {} }),
  getGame: ({ gameId, slug }) => ({ params: { id: slug }, query: {}, names: { id: [gameId, slug] } }),
  listSessions: ({ gameId, slug }) => ({ params: {}, query: {}, names: { game: [gameId, slug] } }),
  getSession: ({ sessionId }) => ({ params: { id: sessionId }, query: {}, names: { id: [sessionId] } }),
  listInsights: ({ gameId, slug }) => ({ params: {}, query: {}, names: { game: [gameId, slug] } }),
  getBuild: ({ gameId, slug, version }) => ({
    params: { game: gameId, version },
    query: {},
    names: { game: [gameId, slug], version: [version] },
  }),
  compareBuilds: ({ gameId, slug, version, later }) => ({
    params: {},
    query: { game: slug, a: version, b: later },
    names: { game: [gameId, slug], a: [version], b: [later] },
  }),
  getTester: ({ gameId, slug, deviceId }) => ({
    params: { game: slug, deviceId },
    query: {},
    names: { game: [gameId, slug], deviceId: [deviceId] },
  }),
  getHeatmap: ({ gameId, slug }) => ({
    params: { game: gameId },
    query: {},
    names: { game: [gameId, slug] },
  }),
  getEvents: ({ gameId, slug }) => ({ params: { game: slug }, query: {}, names: { game: [gameId, slug] } }),
  sendTelemetry: ({ gameId, slug, sessionId }) => ({
    params: {},
    query: {},
    body: { gameId: slug, sessionId, events: [] },
    names: { gameId: [gameId, slug], sessionId: [sessionId] },
  }),
};

/** Every endpoint with its name and sample; only those of a kind of key where one is given. */
export function eachEndpoint(kind?: "management" | "ingest"): [EndpointName, Endpoint][] {
  const all = Object.entries(endpoints) as [EndpointName, Endpoint][];
  return all.filter(([, endpoint]) => kind === undefined || endpoint.keys.includes(kind));
}

/** The path and query of a request, every part encoded. */
export function urlOf(
  endpoint: Endpoint,
  { params, query }: Pick<Sample, "params" | "query">,
  extra: readonly string[] = [],
): string {
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ""),
  );
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const search = [...pairs, ...extra].join("&");
  return search === "" ? path : `${path}?${search}`;
}

/** The sample with one of its names changed, wherever it is. */
export function renamed(sample: Sample, endpoint: Endpoint, name: string, value: string): Sample {
  if (name in endpoint.params.shape) return { ...sample, params: { ...sample.params, [name]: value } };
  if (name in endpoint.query.shape) return { ...sample, query: { ...sample.query, [name]: value } };
  return { ...sample, body: { ...sample.body, [name]: value } };
}

/** Plays two builds of a new game of an account, and analyses them. */
export async function makeWorld(
  service: TestService,
  owner: { readonly accountId: string; readonly keys: NewKeys },
  name: string,
): Promise<World> {
  const { write } = service.service.store;
  const slug = `${name}-game`;
  const game = await ensureGame(write, service.service, owner.accountId, slug);
  const [version, later, deviceId] = [`${name}-1`, `${name}-2`, `${name}-device`];
  const sessions: string[] = [];
  for (const gameVersion of [version, later]) {
    const events = ["fail", "fail", "fail", "fail", "player_pos"].map((event, at) => ({
      id: `e${at}`,
      name: event,
      timestamp: NOW - 60_000 + at * 1000,
      data: { room: "cellar", x: at, y: at },
    }));
    const body = {
      gameId: slug,
      clientSessionId: gameVersion,
      deviceId,
      source: "unity-telemetry",
      sessionMetadata: { gameVersion },
      sessionEnded: true,
      events,
    };
    const sent = await service.post("/api/telemetry", body, { key: owner.keys.ingest });
    expect(sent.status).toBe(202);
    sessions.push(sent.json.sessionId as string);
  }
  await service.analysis.settle();
  return { keys: owner.keys, gameId: game.id, slug, sessionId: sessions[0] ?? "", version, later, deviceId };
}

/** Sends a sample the way its endpoint takes it. */
export async function call(
  service: TestService,
  endpoint: Endpoint,
  sample: Sample,
  options: {
    readonly key?: string | null;
    readonly extra?: readonly string[];
    readonly headers?: Record<string, string>;
  } = {},
) {
  const { extra, ...rest } = options;
  const url = urlOf(endpoint, sample, extra);
  return endpoint.method === "POST"
    ? await service.post(url, sample.body, rest)
    : await service.get(url, rest);
}
