/** Defines endpoints: values that routes, validation, client methods, tools, docs and tests are derived from. */
import * as z from "zod";
import type { HttpErrorCode } from "./errors.ts";
import { gameParam } from "./fields.ts";
import type { Noun } from "./nouns.ts";
import type { OpenApiTag } from "./openapi-tags.ts";
import type { RepairedBody } from "./repair.ts";

/** The scope of an API key. */
export type ApiKeyKind = "management" | "ingest" | "ci";

/** The response header with the name of an extension endpoint. Without it, a 404 means that the service does not have the endpoint. */
export const ENDPOINT_HEADER = "x-playtest-endpoint";

/** Where a request has its API key: in the Authorization header, or in the query parameter `key`. */
export type Credential = "bearer" | "query";

export type HttpMethod = "GET" | "POST" | "DELETE";

type Shape = z.ZodObject;

export interface Endpoint<
  Params extends Shape = Shape,
  Query extends Shape = Shape,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> {
  /** The name of the client's method and of the handler, such as `getGame` (`handleGetGame`). */
  readonly name: string;
  /** The name of the MCP tool; null if the endpoint is not a tool. */
  readonly tool: string | null;
  readonly method: HttpMethod;
  /** Path with `{name}` for each path parameter. */
  readonly path: `/api/${string}`;
  /** The scopes of keys that may use it. */
  readonly keys: readonly ApiKeyKind[];
  readonly credential: Credential;
  /** An imperative sentence without the final period. */
  readonly summary: string;
  /** Its group in the OpenAPI document. */
  readonly tag: OpenApiTag;
  /** Whether the endpoint is an extension, which the API document does not list. */
  readonly extension: boolean;
  /** Query parameters that the API document does not list. The response repeats their values under `applied`. */
  readonly extensions: readonly string[];
  /** Parameters and body fields that name something. The service responds with 404 if it does not exist. */
  readonly names: Readonly<Record<string, Noun>>;
  /** Parameters that cannot be combined with others, by name. */
  readonly excludes: Readonly<Record<string, readonly string[]>>;
  /**
   * Further values of a valid request, for tests and examples. Values for `names` are added automatically. `{device}` is
   * replaced with an existing device (and so on for other nouns), `{unique}` with unique text.
   */
  readonly sample: Readonly<Record<string, unknown>>;
  readonly params: Params;
  readonly query: Query;
  /** The schema of the JSON body; `z.undefined()` if there is none. */
  readonly body: Body;
  /** Repairs a body before the service validates it; null if invalid bodies are always rejected. */
  readonly repair: ((body: unknown) => RepairedBody) | null;
  /**
   * Returns the response to a body that must be discarded, because the player opted out; null for other bodies. The
   * service responds before it validates the body or counts its device, so that not even a refusal contains parts of it.
   */
  readonly discard: ((body: unknown) => unknown) | null;
  /** The maximum size of the body in bytes after decompression; 0 if there is none. */
  readonly maxBody: number;
  readonly response: Response;
  /** The usual status of success. */
  readonly status: number;
  /** Further statuses of success. */
  readonly otherStatuses: readonly number[];
  /** The Cache-Control header of responses, or null. */
  readonly cacheControl: string | null;
  /** All possible errors except `commonErrors`. */
  readonly errors: readonly HttpErrorCode[];
  /** The possible values of `reason` in the body of an error, by code. */
  readonly reasons: ErrorReasons;
  /** Whether the response is a page: `{ items, hasMore, total }`. */
  readonly paged: boolean;
  /** Whether repeating a request has no further effect. */
  readonly idempotent: boolean;
}

export type ErrorReasons = { readonly [Code in HttpErrorCode]?: readonly string[] };

/** Errors that are possible for all endpoints. */
export const commonErrors: readonly HttpErrorCode[] = [
  "bad_request",
  "unauthorized",
  "forbidden",
  "rate_limited",
  "misdirected",
  "internal",
  "unavailable",
];

const emptyShape = z.object({});
const noBody = z.undefined();
const gameParams = z.object({ game: gameParam });
type EmptyShape = typeof emptyShape;
/** The path parameters of a read that defines none. */
type DefaultParams<Path> = Path extends `${string}{game}${string}` ? typeof gameParams : EmptyShape;
type NoBody = typeof noBody;
type NoFields = Record<never, never>;

/** All endpoints in the order of their definition. (The exports of a module object are in alphabetical order.) */
const definedEndpoints = new Set<unknown>();

const isEndpoint = (value: unknown): value is Endpoint => definedEndpoints.has(value);

function registerEndpoint<E extends object>(endpoint: E): E {
  definedEndpoints.add(endpoint);
  return endpoint;
}

export type EndpointsIn<Module extends object> = {
  readonly [Name in keyof Module as Module[Name] extends Endpoint ? Name : never]: Module[Name];
};

/** Returns the exports of a module that are endpoints, in the order of their definition. */
export function endpointsIn<Module extends object>(module: Module): EndpointsIn<Module> {
  const order = [...definedEndpoints];
  const entries = endpointEntries(module);
  entries.sort(([, a], [, b]) => order.indexOf(a) - order.indexOf(b));
  return Object.fromEntries(entries) as EndpointsIn<Module>;
}

/** Returns the exports of a module that are endpoints, with their export names. */
export function endpointEntries(module: object): [name: string, endpoint: Endpoint][] {
  return Object.entries(module).flatMap(([name, value]) => (isEndpoint(value) ? [[name, value]] : []));
}

/** The type of `Endpoint.names`: keys of the path, query or body. */
type LookupNames<P extends Shape, Q extends Shape, B = unknown> = {
  readonly [Name in
    | keyof P["shape"]
    | keyof Q["shape"]
    | (B extends Shape ? keyof B["shape"] : never)]?: Noun;
};

type CommonDefinition = Pick<Endpoint, "name" | "path" | "summary" | "tag"> &
  Partial<Pick<Endpoint, "extension" | "excludes" | "sample">>;

/** A query with its extension parameters. */
type WithExtensions<Q extends Shape, X extends z.ZodRawShape> = keyof X extends never
  ? Q
  : z.ZodObject<Q["shape"] & X>;

/** A response that repeats the extension parameters of the request. */
type WithApplied<R extends z.ZodType, X extends z.ZodRawShape> = keyof X extends never
  ? R
  : R extends Shape
    ? z.ZodObject<R["shape"] & { applied: z.ZodOptional<z.ZodObject<X>> }>
    : never;

type ReadDefinition<
  Path extends Endpoint["path"],
  P extends Shape,
  Q extends Shape,
  R extends z.ZodType,
  X extends z.ZodRawShape,
> = Omit<CommonDefinition, "path"> &
  Pick<Endpoint, "tool"> &
  Partial<Pick<Endpoint, "keys" | "errors" | "paged" | "cacheControl" | "reasons">> & {
    readonly path: Path;
    readonly params?: P;
    readonly query?: Q;
    /** Optional query parameters that the API document does not list. */
    readonly extensions?: X;
    readonly names?: LookupNames<P, Q>;
    readonly response: R;
  };

/**
 * Defines a read: a GET request with status 200, by default for management keys. `{game}` in its path names a game and is by
 * default its only parameter, and by default, a read that names something can fail with `not_found`.
 */
export function defineRead<
  R extends z.ZodType,
  Path extends Endpoint["path"],
  P extends Shape = DefaultParams<Path>,
  Q extends Shape = EmptyShape,
  X extends z.ZodRawShape = NoFields,
>(
  definition: ReadDefinition<Path, P, Q, R, X>,
): Endpoint<P, WithExtensions<Q, X>, NoBody, WithApplied<R, X>> {
  const { extensions, query = emptyShape, response, ...rest } = definition;
  const hasGame = definition.path.includes("{game}");
  const names = { ...(hasGame && { game: "game" as const }), ...definition.names };
  return registerEndpoint({
    ...defaults,
    keys: ["management"],
    errors: Object.keys(names).length > 0 ? ["not_found"] : [],
    paged: false,
    cacheControl: null,
    ...{ ...rest, names },
    credential: "bearer",
    params: definition.params ?? ((hasGame ? gameParams : emptyShape) as unknown as P),
    ...addExtensions<Q, R, X>(query, response, extensions),
    method: "GET",
    body: noBody,
    repair: null,
    discard: null,
    maxBody: 0,
    status: 200,
    otherStatuses: [],
    idempotent: true,
  });
}

const defaults = { extension: false, names: {}, excludes: {}, reasons: {}, sample: {} } as const;

/** Adds the extension parameters to the query, and `applied` to the response. */
function addExtensions<Q extends Shape, R extends z.ZodType, X extends z.ZodRawShape>(
  query: Shape,
  response: z.ZodType,
  extensions: X | undefined,
) {
  const applied = { applied: z.object(extensions).optional().describe(APPLIED_DESCRIPTION) };
  const [fullQuery, fullResponse] =
    extensions && response instanceof z.ZodObject
      ? [query.safeExtend(extensions), response.safeExtend(applied)]
      : [query, response];
  return {
    query: fullQuery as unknown as WithExtensions<Q, X>,
    response: fullResponse as unknown as WithApplied<R, X>,
    extensions: Object.keys(extensions ?? {}),
  };
}

const APPLIED_DESCRIPTION = "Extension parameters that the service applied. Absent if the request has none";

type WriteDefinition<Q extends Shape, B extends z.ZodType, R extends z.ZodType> = CommonDefinition &
  Pick<Endpoint, "keys" | "maxBody" | "status" | "idempotent" | "errors"> &
  Partial<
    Pick<Endpoint, "tool" | "method" | "otherStatuses" | "credential" | "reasons" | "repair" | "discard">
  > & {
    readonly query?: Q;
    readonly names?: LookupNames<EmptyShape, Q, B>;
    readonly body: B;
    readonly response: R;
  };

/** Defines a write with a JSON body, by default a POST request. */
export function defineWrite<B extends z.ZodType, R extends z.ZodType, Q extends Shape = EmptyShape>(
  definition: WriteDefinition<Q, B, R>,
): Endpoint<EmptyShape, Q, B, R> {
  return registerEndpoint({
    ...defaults,
    tool: null,
    method: "POST",
    credential: "bearer",
    otherStatuses: [],
    repair: null,
    discard: null,
    ...definition,
    extensions: [],
    params: emptyShape,
    query: definition.query ?? (emptyShape as unknown as Q),
    cacheControl: null,
    paged: false,
  });
}

/** The fields of a schema. For an empty schema, zod would infer an index signature. */
type SchemaFields<S extends Shape> = keyof S["shape"] extends never ? unknown : z.output<S>;

/** The input of a call: path and query parameters together, and the body if there is one. */
export type Input<E extends Endpoint> = SchemaFields<E["params"]> &
  SchemaFields<E["query"]> &
  (E["body"] extends NoBody ? object : { body: z.output<E["body"]> });

export type Output<E extends Endpoint> = z.output<E["response"]>;

export interface Page<T> {
  readonly items: T[];
  /** False on the last page. */
  readonly hasMore: boolean;
  /** The number of items on all pages. */
  readonly total: number;
}
