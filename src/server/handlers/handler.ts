/** What a handler is: decoded input and a consistent database in, a plain answer out. */
import type { Endpoint, Input, Output, Page } from "../../contract/define.ts";
import { DEFAULT_PAGE, MAX_PAGE } from "../../contract/fields.ts";
import type { Db, KeyRow } from "../db/schema.ts";
import type { Answered, JsonText, Later } from "../json.ts";
import type { Service } from "../service.ts";

/** One call: who asks, and what it may use. */
export interface Call {
  readonly service: Service;
  readonly accountId: string;
  readonly key: KeyRow;
  /** For reads one transaction, so that every query sees the same state. */
  readonly db: Db;
}

export type Handler<E extends Endpoint> = (
  input: Input<E>,
  call: Call,
) => Promise<Output<E> | JsonText<Output<E>> | Answered<Output<E>> | Later<Output<E>>>;

interface PageInput {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** The page asked for: a limit above the largest is taken as the largest. */
export function pageOf({ limit = DEFAULT_PAGE, offset = 0 }: PageInput): { limit: number; offset: number } {
  return { limit: Math.min(limit, MAX_PAGE), offset };
}

/** The end-of-list signal and total of a page. */
export function pageEnd(offset: number, items: number, total: number): Omit<Page<never>, "items"> {
  return { hasMore: offset + items < total, total };
}
