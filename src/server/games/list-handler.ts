/** The handlers of lists of a game: from the parameters of a request to a page of the list. */
import type { Endpoint, Input, Output, Page } from "../../contract/define.ts";
import { type Call, pageEnd, toPage } from "../accounts/handler.ts";
import type { ListFilterValues, StoredList } from "../db/list-queries.ts";
import { requireGame } from "./game-queries.ts";
import { requireKnownScope } from "./scope-queries.ts";

type ItemOf<E extends Endpoint> =
  Output<E> extends { readonly items: ReadonlyArray<infer Item> } ? Item : never;

type ListInput = ListFilterValues & {
  readonly game: string;
  readonly build?: string | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
};

interface ListHandlerOptions<E extends Endpoint> {
  /** The environment of requests that name none (default: all of them). */
  readonly defaultEnv?: string;
  /** Whether a build or an environment that does not exist is an error. */
  readonly requiresKnownScope?: true;
  /** Checks the request, and reads the fields of the response besides those of every page. */
  extend?(
    page: { readonly gameId: string; readonly filter: ListFilterValues; readonly offset: number },
    input: Input<E>,
    call: Call,
  ): Promise<Omit<Output<E>, keyof Page<unknown>>>;
}

/** Creates the handler of a paged list with the path parameter `game`. */
export function createListHandler<E extends Endpoint>(
  list: Pick<StoredList<ItemOf<E>>, "find" | "count">,
  options: ListHandlerOptions<E> = {},
): (input: Input<E>, call: Call) => Promise<Output<E>> {
  return async (input, call) => {
    const { db, accountId } = call;
    const { game, limit, offset, ...filter } = input as ListInput;
    const { id: gameId } = await requireGame(db, accountId, game);
    if (options.requiresKnownScope) await requireKnownScope(db, gameId, filter);
    const values = { ...filter, env: filter.env ?? options.defaultEnv };
    const range = toPage({ limit, offset });
    const extra = await options.extend?.({ gameId, filter: values, offset: range.offset }, input, call);
    const items = await list.find(db, gameId, values, range);
    const total = await list.count(db, gameId, values);
    return { items, ...pageEnd(range.offset, items.length, total), ...extra } as Output<E>;
  };
}
