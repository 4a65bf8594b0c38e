/**
 * Whole ids for commands that change data. The beginning of an id is not enough to select what they change: it needs at
 * least as many characters as tables show, and a confirmation at a terminal.
 */
import { MIN_SHORT_ID_LENGTH, type ShortIdKind } from "../../../contract/id-kinds.ts";
import { MAX_MATCHING_IDS } from "../../../contract/ids.ts";
import type { Db } from "../../../server/db/schema.ts";
import { findIdsByPrefix } from "../../../server/ids/id-queries.ts";
import { fail } from "../../errors.ts";
import type { Io } from "../../io.ts";
import { askConfirm, canPrompt } from "../../prompts.ts";
import { chooseId, idNouns, isShortId, listCandidates } from "../../short-ids.ts";

/** The ids that begin with the text of a command. It ends a transaction, because nobody must wait for the answer. */
export class UnconfirmedId extends Error {
  constructor(
    readonly kind: ShortIdKind,
    readonly text: string,
    readonly matches: Parameters<typeof chooseId>[2],
  ) {
    super(`${text} is not a whole id`);
  }
}

/** Returns a whole id or unknown text unchanged. Throws `UnconfirmedId` for the beginning of an id. */
export async function requireWholeId(
  db: Db,
  accountId: string,
  kind: ShortIdKind,
  text: string,
): Promise<string> {
  if (!isShortId(kind, text)) return text;
  const found = await findIdsByPrefix(db, accountId, text);
  if (found.length === 0 || found[0]?.id === text) return text;
  const items = found.slice(0, MAX_MATCHING_IDS);
  throw new UnconfirmedId(kind, text, { items, hasMore: found.length > MAX_MATCHING_IDS });
}

/**
 * Asks whether the only id that begins with the text is meant, and returns it. Throws `usage` without a terminal, for a
 * text that is too short and if there are several ids, and `interrupted` if the answer is no.
 */
export async function confirmId(io: Io, { kind, text, matches }: UnconfirmedId): Promise<string> {
  if (text.length < kind.length + 1 + MIN_SHORT_ID_LENGTH || !canPrompt(io)) {
    throw fail("usage", {
      message: `${JSON.stringify(text)} is not a whole ${idNouns[kind]} id`,
      hint:
        `Commands that change data need the whole id. Matching ids: ${listCandidates(matches)}. At a terminal, you can ` +
        `also confirm the first ${MIN_SHORT_ID_LENGTH} or more characters after ${kind}_`,
    });
  }
  const id = chooseId(kind, text, matches) ?? text;
  if (await askConfirm(io, `Use the ${idNouns[kind]} ${id}?`, "Use the whole id.")) return id;
  throw fail("interrupted", {
    message: "Cancelled. Nothing was changed.",
    hint: `To continue, run the command again and answer y, or use the whole id, ${id}`,
  });
}
