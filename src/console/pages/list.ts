/** The parameters that pages with lists share. */
import { toFlags } from "../command-line.ts";
import { choiceParam, textParam, wholeParam } from "../page.ts";

/** How many items a page shows. */
export const PAGE_SIZE = 50;

/** The parameters of a list that the service returns in parts. */
export const pagedParams = { offset: wholeParam(0) };

/** The parameters of a table whose rows are all there, so that they can be sorted. */
export const sortParams = { sort: textParam, order: choiceParam(["asc", "desc"]) };

/** The flags of the command that lists the same items. */
export const toPageFlags = (offset: number): string[] =>
  toFlags({ "--limit": PAGE_SIZE, "--offset": offset || undefined });
