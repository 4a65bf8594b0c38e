/** Accepts the beginning of an id in commands that open the database. */
import type { ShortIdKind } from "../../../contract/id-kinds.ts";
import { MAX_MATCHING_IDS } from "../../../contract/ids.ts";
import type { Db } from "../../../server/db/schema.ts";
import { findIdsByPrefix } from "../../../server/ids/queries.ts";
import { chooseId, isShortId } from "../../short-ids.ts";

/** The whole id of an account's session, experiment or batch. An unknown text is returned unchanged. Throws `usage` if several match. */
export async function resolveLocalId(
  db: Db,
  accountId: string,
  kind: ShortIdKind,
  text: string,
): Promise<string> {
  if (!isShortId(kind, text)) return text;
  const found = await findIdsByPrefix(db, accountId, text);
  const hasMore = found.length > MAX_MATCHING_IDS;
  return chooseId(kind, text, { items: found.slice(0, MAX_MATCHING_IDS), hasMore }) ?? text;
}
