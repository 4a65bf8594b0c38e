/** The result of commands that create a key, which is shown only then. */
import type { ApiKeyKind } from "../../../../contract/define.ts";
import { renderDetails } from "../../../../render/details.ts";
import { hashKey } from "../../../../server/accounts/keys.ts";
import type { Result } from "../../../command.ts";
import { toApiKeySummary } from "./columns.ts";

export interface IssuedKey {
  readonly key: string;
  readonly kind: ApiKeyKind;
  /** The slug of the only game that the key works for; null for all games of the account. */
  readonly game: string | null;
  /** Unix ms. */
  readonly createdAt: number;
}

export function newKeyResult({ key, kind, game, createdAt }: IssuedKey, note: string): Result {
  const stored = toApiKeySummary({ hash: hashKey(key), kind, slug: game, created_at: createdAt });
  return {
    data: { key, ...stored },
    view: (options) =>
      `${renderDetails(
        [
          ["Key", key, "strong"],
          ["Kind", kind],
          ["Game", game ?? "all games of the account"],
        ],
        options,
      )}\n${note}\n`,
  };
}
