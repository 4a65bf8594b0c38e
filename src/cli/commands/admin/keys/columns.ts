/** How stored keys look: never their text, which only its owner has. */
import type { KeyKind } from "../../../../contract/define.ts";
import type { Column } from "../../../../render/columns.ts";
import { textColumn, timeColumn } from "../../columns.ts";

export interface StoredKey {
  /** The first digits of the key's SHA-256: enough to tell keys apart, of no use to open anything. */
  readonly id: string;
  readonly kind: KeyKind;
  /** Slug of the game it is bound to; null for every game of the account. */
  readonly game: string | null;
  /** Unix ms. */
  readonly createdAt: number;
}

const ID_DIGITS = 12;

export function storedKeyOf(row: {
  readonly hash: string;
  readonly kind: KeyKind;
  readonly slug: string | null;
  readonly created_at: number;
}): StoredKey {
  return {
    id: row.hash.slice(0, ID_DIGITS),
    kind: row.kind,
    game: row.slug,
    createdAt: row.created_at,
  };
}

export const keyColumns: readonly Column<StoredKey>[] = [
  textColumn("id", "KEY", (key) => key.id),
  textColumn("kind", "KIND", (key) => key.kind),
  textColumn("game", "GAME", (key) => key.game, 1),
  timeColumn("createdAt", "CREATED", (key) => key.createdAt),
];
