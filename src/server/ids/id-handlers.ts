/** Short ids of an account. */
import { type findIds, MAX_MATCHING_IDS } from "../../contract/ids.ts";
import type { Handler } from "../accounts/handler.ts";
import { findIdsByPrefix } from "./id-queries.ts";

export const handleFindIds: Handler<typeof findIds> = async ({ prefix }, { db, accountId }) => {
  const found = await findIdsByPrefix(db, accountId, prefix);
  return { items: found.slice(0, MAX_MATCHING_IDS), hasMore: found.length > MAX_MATCHING_IDS };
};
