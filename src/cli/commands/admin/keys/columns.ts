/** How stored keys look: never their text, which only its owner has. */
import type { ApiKeyKind } from "../../../../contract/define.ts";
import type { TableColumn } from "../../../../render/columns.ts";
import { textColumn, timeColumn } from "../../columns.ts";

export interface ApiKeySummary {
  /** The first digits of the key's SHA-256: enough to tell keys apart, of no use to open anything. */
  readonly id: string;
  readonly kind: ApiKeyKind;
  /** Slug of the game it is bound to; null for every game of the account. */
  readonly game: string | null;
  /** Unix ms. */
  readonly createdAt: number;
}

const ID_DIGITS = 12;

export function toApiKeySummary(row: {
  readonly hash: string;
  readonly kind: ApiKeyKind;
  readonly slug: string | null;
  readonly created_at: number;
}): ApiKeySummary {
  return {
    id: row.hash.slice(0, ID_DIGITS),
    kind: row.kind,
    game: row.slug,
    createdAt: row.created_at,
  };
}

export const keyColumns: readonly TableColumn<ApiKeySummary>[] = [
  textColumn("id", "KEY", (key) => key.id),
  textColumn("kind", "KIND", (key) => key.kind),
  textColumn("game", "GAME", (key) => key.game, 1),
  timeColumn("createdAt", "CREATED", (key) => key.createdAt),
];
