/** What an endpoint is: one value that routes, validation, client methods, tools, docs and tests are derived from. */
import * as z from "zod";
import type { ErrorCode } from "./errors.ts";

/** Which key opens an endpoint. */
export type KeyKind = "management" | "ingest";

/** Where a request carries its key: the Authorization header, or the query parameter `key`. */
export type Credential = "bearer" | "query";

export type Method = "GET" | "POST" | "DELETE";

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
  readonly method: Method;
  /** Path with `{name}` for each path parameter. */
  readonly path: `/api/${string}`;
  /** The kinds of key it takes. */
  readonly keys: readonly KeyKind[];
  readonly credential: Credential;
  readonly summary: string;
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
  readonly errors: readonly ErrorCode[];
  /** True where the answer is a page: `{ items, hasMore, total }`. */
  readonly paged: boolean;
  /** True where sending it twice does what sending it once does. */
  readonly idempotent: boolean;
}

/** Errors that every endpoint may answer with. */
export const commonErrors: readonly ErrorCode[] = [
  "bad_request",
  "unauthorized",
  "forbidden",
  "rate_limited",
  "misdirected",
  "internal",
  "unavailable",
];

const none = z.object({});
const noBody = z.undefined();
type None = typeof none;
type NoBody = typeof noBody;

type Read<P extends Shape, Q extends Shape, R extends z.ZodType> = Pick<
  Endpoint,
  "name" | "tool" | "path" | "summary"
> &
  Partial<Pick<Endpoint, "keys" | "errors" | "paged" | "cacheControl">> & {
    readonly params?: P;
    readonly query?: Q;
    readonly response: R;
  };

/** Defines a read: GET without a body, answered with 200; with the management key unless told. */
export function read<R extends z.ZodType, P extends Shape = None, Q extends Shape = None>(
  definition: Read<P, Q, R>,
): Endpoint<P, Q, NoBody, R> {
  return {
    keys: ["management"],
    errors: [],
    paged: false,
    cacheControl: null,
    ...definition,
    credential: "bearer",
    params: definition.params ?? (none as unknown as P),
    query: definition.query ?? (none as unknown as Q),
    method: "GET",
    body: noBody,
    maxBody: 0,
    status: 200,
    otherStatuses: [],
    idempotent: true,
  };
}

type Write<Q extends Shape, B extends z.ZodType, R extends z.ZodType> = Pick<
  Endpoint,
  "name" | "path" | "summary" | "keys" | "maxBody" | "status" | "idempotent" | "errors"
> &
  Partial<Pick<Endpoint, "tool" | "method" | "otherStatuses" | "credential">> & {
    readonly query?: Q;
    readonly body: B;
    readonly response: R;
  };

/** Defines a write: a JSON body, POST unless told. */
export function write<B extends z.ZodType, R extends z.ZodType, Q extends Shape = None>(
  definition: Write<Q, B, R>,
): Endpoint<None, Q, B, R> {
  return {
    tool: null,
    method: "POST",
    credential: "bearer",
    otherStatuses: [],
    ...definition,
    params: none,
    query: definition.query ?? (none as unknown as Q),
    cacheControl: null,
    paged: false,
  };
}

/** The fields of a schema; of an empty one none, rather than the index signature zod gives it. */
type Fields<S extends Shape> = keyof S["shape"] extends never ? unknown : z.output<S>;

/** What a caller gives: path and query parameters together, and the body where there is one. */
export type Input<E extends Endpoint> = Fields<E["params"]> &
  Fields<E["query"]> &
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
