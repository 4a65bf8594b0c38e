/** Types and helpers of endpoint handlers: functions from decoded input to the response. */
import type { Endpoint, Input, Output, Page } from "../../contract/define.ts";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from "../../contract/fields.ts";
import type { DeferredResponse, JsonText, StatusResponse, StreamResponse } from "../core/responses.ts";
import type { ApiKeyRow, Db } from "../db/schema.ts";
import type { Service } from "../db/service.ts";

/** An authenticated call. `S` is the part of the service that the handler uses. */
export interface Call<S extends Service = Service> {
  readonly service: S;
  readonly accountId: string;
  readonly key: ApiKeyRow;
  /** The network of the address of the client, toward which its requests count. */
  readonly network: string;
  /** The size of the body after decompression, in bytes; 0 without a body. */
  readonly bodyBytes: number;
  readonly headers: Headers;
  /** Headers of the response, which the handler may add to. */
  readonly responseHeaders: Record<string, string>;
  /** Whether the service has pages for people. */
  readonly hasConsole?: boolean;
  /** What was removed from the body because it is invalid. */
  readonly warnings: readonly string[];
  /** For reads, a transaction, so that all queries see the same state. */
  readonly db: Db;
  /** Whether the client requests server-sent events instead of JSON. */
  readonly acceptsEvents?: boolean;
  /** The last server-sent event that a client received before it connected again. */
  readonly lastEventId?: string | undefined;
}

export type Handler<E extends Endpoint, S extends Service = Service> = (
  input: Input<E>,
  call: Call<S>,
) => Promise<
  Output<E> | JsonText<Output<E>> | StatusResponse<Output<E>> | DeferredResponse<Output<E>> | StreamResponse
>;

interface PageInput {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** Applies the default page size, and the maximum to larger limits. */
export function toPage({ limit = DEFAULT_PAGE_SIZE, offset = 0 }: PageInput): {
  limit: number;
  offset: number;
} {
  return { limit: Math.min(limit, MAX_PAGE_SIZE), offset };
}

/** Returns the fields of a page except its items. */
export function pageEnd(offset: number, items: number, total: number): Omit<Page<never>, "items"> {
  return { hasMore: offset + items < total, total };
}
