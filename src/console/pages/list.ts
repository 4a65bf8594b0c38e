/** The parameters that pages with lists share. */
import { choiceParam, textParam, wholeParam } from "../page.ts";

/** How many items a page shows. */
export const PAGE_SIZE = 50;

/** The parameters of a list that the service returns in parts. */
export const pagedParams = { offset: wholeParam(0) };

/** The parameters of a table whose rows are all there, so that they can be sorted. */
export const sortParams = { sort: textParam, order: choiceParam(["asc", "desc"]) };
