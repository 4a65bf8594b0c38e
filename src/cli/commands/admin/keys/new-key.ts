/** The result of commands that create a key, which is shown only then. */
import { renderDetails } from "../../../../render/details.ts";
import { formatTime } from "../../../../render/time.ts";
import { hashKey } from "../../../../server/accounts/keys.ts";
import type { Result } from "../../../command.ts";
import { type ApiKeySummary, toKeyId } from "./columns.ts";

export interface IssuedKey extends Omit<ApiKeySummary, "id" | "lastUsedAt"> {
  readonly key: string;
}

export function newKeyResult({ key, ...issued }: IssuedKey, note: string, more: object = {}): Result {
  const { name, kind, game, environment, createdAt, expiresAt } = issued;
  const stored = { id: toKeyId(hashKey(key)), name, kind, game, environment, createdAt };
  return {
    data: { key, ...stored, lastUsedAt: null, expiresAt, ...more },
    view: (options) =>
      `${renderDetails(
        [
          ["Key", key, "strong"],
          ["Key hash", stored.id],
          ["Name", name],
          ["Kind", kind],
          ["Game", game ?? "all games of the account"],
          ["Environment", environment],
          ["Expires", expiresAt === null ? null : formatTime(expiresAt, options)],
        ],
        options,
      )}\n${note}\n`,
  };
}
