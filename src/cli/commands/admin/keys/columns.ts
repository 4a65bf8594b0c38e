/** The columns of API keys. Only hashes of keys are stored, so the keys themselves cannot be shown. */
import type { ApiKeyKind } from "../../../../contract/define.ts";
import type { TableColumn } from "../../../../render/columns.ts";
import { textColumn, timeColumn } from "../../columns.ts";

export interface ApiKeySummary {
  /** The first digits of the key's SHA-256 hash, which identify the key without revealing it. */
  readonly id: string;
  readonly kind: ApiKeyKind;
  /** The slug of the only game that the key works for; null for all games of the account. */
  readonly game: string | null;
  /** Unix ms. */
  readonly createdAt: number;
}

const ID_DIGITS = 12;

/** The id of a key, by its hash. */
export const toKeyId = (hash: string) => hash.slice(0, ID_DIGITS);

export function toApiKeySummary(row: {
  readonly hash: string;
  readonly kind: ApiKeyKind;
  readonly slug: string | null;
  readonly created_at: number;
}): ApiKeySummary {
  return {
    id: toKeyId(row.hash),
    kind: row.kind,
    game: row.slug,
    createdAt: row.created_at,
  };
}

/** The columns of csv, tsv and Markdown. */
export const keyColumns: readonly TableColumn<ApiKeySummary>[] = [
  textColumn("id", "KEY HASH", (key) => key.id),
  textColumn("kind", "KIND", (key) => key.kind),
  textColumn("game", "GAME", (key) => key.game, 1),
  timeColumn("createdAt", "CREATED", (key) => key.createdAt),
];

/** The columns at the terminal, where a key for all games is marked with a word. */
export const keyTableColumns: readonly TableColumn<ApiKeySummary>[] = keyColumns.map((column) =>
  column.key === "game" ? textColumn("game", "GAME", ({ game }) => game ?? "all", 1) : column,
);
