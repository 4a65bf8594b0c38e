/** What is told of a new key, in the only moment its text is known. */
import type { ApiKeyKind } from "../../../../contract/define.ts";
import { renderDetails } from "../../../../render/details.ts";
import { hashKey } from "../../../../server/accounts/keys.ts";
import type { Result } from "../../../command.ts";
import { toApiKeySummary } from "./columns.ts";

export interface IssuedKey {
  readonly key: string;
  readonly kind: ApiKeyKind;
  /** Slug of the game it is bound to. */
  readonly game: string | null;
  /** Unix ms. */
  readonly createdAt: number;
}

export function newKeyResult({ key, kind, game, createdAt }: IssuedKey, note: string): Result {
  const stored = toApiKeySummary({ hash: hashKey(key), kind, slug: game, created_at: createdAt });
  return {
    data: { key, ...stored },
    view: (options) =>
      renderDetails(
        [
          ["Key", key, "strong"],
          ["Kind", kind],
          ["Game", game ?? "every game of the account"],
          ["Note", note],
        ],
        options,
      ),
  };
}
