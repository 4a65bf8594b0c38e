/** What an endpoint is: one value that routes, validation, client methods, tools, docs and tests are derived from. */
import * as z from "zod";
import type { HttpErrorCode } from "./errors.ts";
import type { Noun } from "./nouns.ts";
import type { OpenApiTag } from "./openapi-tags.ts";

/** Which key opens an endpoint. */
export type ApiKeyKind = "management" | "ingest";

/** Where a request carries its key: the Authorization header, or the query parameter `key`. */
export type Credential = "bearer" | "query";

export type HttpMethod = "GET" | "POST" | "DELETE";

type Shape = z.ZodObject;

/** One endpoint of the API, read by the service, the client, the tools, the docs and the tests. */
export interface Endpoint<
  Params extends Shape = Shape,
  Query extends Shape = Shape,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> {
  /** The one name: the client's method, the handler and, in snake case, the tool. */
  readonly name: string;
  /** The name of its MCP tool; null for what is no tool. */
  readonly tool: string | null;
  readonly method: HttpMethod;
  /** Path with `{name}` for each path parameter. */
  readonly path: `/api/${string}`;
  /** The kinds of key it takes. */
  readonly keys: readonly ApiKeyKind[];
  readonly credential: Credential;
  readonly summary: string;
  /** The group of the OpenAPI document that it belongs to. */
  readonly tag: OpenApiTag;
  /** True where the API document does not list it. */
  readonly extension: boolean;
  /** Query parameters that the API document does not list: the answer repeats those it was given under `applied`. */
  readonly extensions: readonly string[];
  /** What is looked up, by parameter or body field: the service answers 404 for a value it does not find. */
  readonly names: Readonly<Record<string, Noun>>;
  /** Parameters that replace others: a request with the first must not have the second. */
  readonly excludes: Readonly<Record<string, readonly string[]>>;
  /**
   * Values of a valid request, for tests and examples, beside what `names` requires. Text such as `{device}` is
   * replaced with the name of one, `{unique}` with text that no request had before.
   */
  readonly sample: Readonly<Record<string, unknown>>;
  readonly params: Params;
  readonly query: Query;
  /** Schema of the JSON body; `z.undefined()` where there is none. */
  readonly body: Body;
  /** Largest body in bytes after decompression; 0 where there is none. */
  readonly maxBody: number;
  readonly response: Response;
  readonly status: number;
  /** Statuses of success beside `status`, where what was done differs. */
  readonly otherStatuses: readonly number[];
  /** The Cache-Control of its answers; null for none. */
  readonly cacheControl: string | null;
  /** Every error it may answer with beyond `commonErrors`. */
  readonly errors: readonly HttpErrorCode[];
  /** The values of `reason` that an error's body may carry, by code. */
  readonly reasons: ErrorReasons;
  /** True where the answer is a page: `{ items, hasMore, total }`. */
  readonly paged: boolean;
  /** True where sending it twice does what sending it once does. */
  readonly idempotent: boolean;
}

export type ErrorReasons = { readonly [Code in HttpErrorCode]?: readonly string[] };

/** Errors that every endpoint may answer with. */
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
type EmptyShape = typeof emptyShape;
type NoBody = typeof noBody;
type NoFields = Record<never, never>;

/** Every endpoint in the order of definition: the names of a module are in alphabetical order. */
const definedEndpoints = new Set<unknown>();

const isEndpoint = (value: unknown): value is Endpoint => definedEndpoints.has(value);

function registerEndpoint<E extends object>(endpoint: E): E {
  definedEndpoints.add(endpoint);
  return endpoint;
}

/** The endpoints among the exports of a module, under the names they are exported by. */
export type EndpointsIn<Module extends object> = {
  readonly [Name in keyof Module as Module[Name] extends Endpoint ? Name : never]: Module[Name];
};

/** Selects the endpoints among the exports of a module, in the order of their definition. */
export function endpointsIn<Module extends object>(module: Module): EndpointsIn<Module> {
  const order = [...definedEndpoints];
  const found = endpointEntries(module);
  found.sort(([, a], [, b]) => order.indexOf(a) - order.indexOf(b));
  return Object.fromEntries(found) as EndpointsIn<Module>;
}

/** The endpoints among the exports of a module, each with the name it is exported by. */
export function endpointEntries(module: object): [name: string, endpoint: Endpoint][] {
  return Object.entries(module).flatMap(([name, value]) => (isEndpoint(value) ? [[name, value]] : []));
}

/** Parameters of a path, a query or a body that name something. */
type LookupNames<P extends Shape, Q extends Shape, B = unknown> = {
  readonly [Name in
    | keyof P["shape"]
    | keyof Q["shape"]
    | (B extends Shape ? keyof B["shape"] : never)]?: Noun;
};

type CommonDefinition = Pick<Endpoint, "name" | "path" | "summary" | "tag"> &
  Partial<Pick<Endpoint, "extension" | "excludes" | "sample">>;

/** A query with its extensions. */
type WithExtensions<Q extends Shape, X extends z.ZodRawShape> = keyof X extends never
  ? Q
  : z.ZodObject<Q["shape"] & X>;

/** An answer that repeats the extensions that were given. */
type WithApplied<R extends z.ZodType, X extends z.ZodRawShape> = keyof X extends never
  ? R
  : R extends Shape
    ? z.ZodObject<R["shape"] & { applied: z.ZodOptional<z.ZodObject<X>> }>
    : never;

type ReadDefinition<
  P extends Shape,
  Q extends Shape,
  R extends z.ZodType,
  X extends z.ZodRawShape,
> = CommonDefinition &
  Pick<Endpoint, "tool"> &
  Partial<Pick<Endpoint, "keys" | "errors" | "paged" | "cacheControl">> & {
    readonly params?: P;
    readonly query?: Q;
    /** Optional query parameters that the API document does not list. */
    readonly extensions?: X;
    readonly names?: LookupNames<P, Q>;
    readonly response: R;
  };

/** Defines a read: GET without a body, answered with 200; by default for the management key. */
export function defineRead<
  R extends z.ZodType,
  P extends Shape = EmptyShape,
  Q extends Shape = EmptyShape,
  X extends z.ZodRawShape = NoFields,
>(definition: ReadDefinition<P, Q, R, X>): Endpoint<P, WithExtensions<Q, X>, NoBody, WithApplied<R, X>> {
  const { extensions, query = emptyShape, response, ...rest } = definition;
  return registerEndpoint({
    ...defaults,
    keys: ["management"],
    errors: [],
    paged: false,
    cacheControl: null,
    ...rest,
    credential: "bearer",
    params: definition.params ?? (emptyShape as unknown as P),
    ...addExtensions<Q, R, X>(query, response, extensions),
    method: "GET",
    body: noBody,
    maxBody: 0,
    status: 200,
    otherStatuses: [],
    idempotent: true,
  });
}

const defaults = { extension: false, names: {}, excludes: {}, reasons: {}, sample: {} } as const;

/** The query takes the extensions, and the answer repeats those that were given. */
function addExtensions<Q extends Shape, R extends z.ZodType, X extends z.ZodRawShape>(
  query: Shape,
  response: z.ZodType,
  extensions: X | undefined,
) {
  const applied = { applied: z.object(extensions).optional().describe(APPLIED_DESCRIPTION) };
  const [taken, answered] =
    extensions && response instanceof z.ZodObject
      ? [query.safeExtend(extensions), response.safeExtend(applied)]
      : [query, response];
  return {
    query: taken as unknown as WithExtensions<Q, X>,
    response: answered as unknown as WithApplied<R, X>,
    extensions: Object.keys(extensions ?? {}),
  };
}

const APPLIED_DESCRIPTION =
  "The parameters beyond the API document that the service applied; absent where none was given";

type WriteDefinition<Q extends Shape, B extends z.ZodType, R extends z.ZodType> = CommonDefinition &
  Pick<Endpoint, "keys" | "maxBody" | "status" | "idempotent" | "errors"> &
  Partial<Pick<Endpoint, "tool" | "method" | "otherStatuses" | "credential" | "reasons">> & {
    readonly query?: Q;
    readonly names?: LookupNames<EmptyShape, Q, B>;
    readonly body: B;
    readonly response: R;
  };

/** Defines a write with a JSON body; by default a POST. */
export function defineWrite<B extends z.ZodType, R extends z.ZodType, Q extends Shape = EmptyShape>(
  definition: WriteDefinition<Q, B, R>,
): Endpoint<EmptyShape, Q, B, R> {
  return registerEndpoint({
    ...defaults,
    tool: null,
    method: "POST",
    credential: "bearer",
    otherStatuses: [],
    ...definition,
    extensions: [],
    params: emptyShape,
    query: definition.query ?? (emptyShape as unknown as Q),
    cacheControl: null,
    paged: false,
  });
}

/** The fields of a schema; of an empty one none, rather than the index signature zod gives it. */
type SchemaFields<S extends Shape> = keyof S["shape"] extends never ? unknown : z.output<S>;

/** What a caller gives: path and query parameters together, and the body where there is one. */
export type Input<E extends Endpoint> = SchemaFields<E["params"]> &
  SchemaFields<E["query"]> &
  (E["body"] extends NoBody ? object : { body: z.output<E["body"]> });

/** What the endpoint answers. */
export type Output<E extends Endpoint> = z.output<E["response"]>;

/** One page of a list. */
export interface Page<T> {
  readonly items: T[];
  /** The end-of-list signal: false on the last page. */
  readonly hasMore: boolean;
  /** How many match the filters in all. */
  readonly total: number;
}
