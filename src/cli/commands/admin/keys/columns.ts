/** The columns of API keys. Only hashes of keys are stored, so the keys themselves cannot be shown. */
import type { ApiKeyKind } from "../../../../contract/define.ts";
import type { TableColumn } from "../../../../render/columns.ts";
import { groupColumn } from "../../../../render/tables/columns.ts";
import { toColumns } from "../../../../render/tables/resource-columns.ts";
import type { ApiKeyRow } from "../../../../server/db/schema.ts";

export interface ApiKeySummary {
  /** The first digits of the key's SHA-256 hash, which identify the key without revealing it. */
  readonly id: string;
  /** Null for unnamed keys, such as the management key of the account. */
  readonly name: string | null;
  readonly kind: ApiKeyKind;
  /** The slug of the only game that the key works for; null for all games of the account. */
  readonly game: string | null;
  /** The only environment that the key sends telemetry to; null for all environments. */
  readonly environment: string | null;
  /** Unix ms. */
  readonly createdAt: number;
  /** The start of the UTC day of the last use, unix ms; null if the key was never used. */
  readonly lastUsedAt: number | null;
  /** When the key stops working, unix ms; null for never. */
  readonly expiresAt: number | null;
}

const ID_DIGITS = 12;

/** The id of a key, by its hash. */
export const toKeyId = (hash: string) => hash.slice(0, ID_DIGITS);

export function toApiKeySummary(row: Omit<ApiKeyRow, "account_id" | "game_id"> & { slug: string | null }) {
  return {
    id: toKeyId(row.hash),
    name: row.name,
    kind: row.kind,
    game: row.slug,
    environment: row.environment,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
  } satisfies ApiKeySummary;
}

/** The columns of csv, tsv and Markdown. */
export const keyColumns = toColumns<ApiKeySummary>({
  columns: {
    id: { header: "KEY HASH" },
    name: { header: "NAME", shrink: 2 },
    kind: { header: "KIND" },
    game: { header: "GAME", shrink: 1 },
    environment: { header: "ENVIRONMENT", shrink: 3 },
    createdAt: { header: "CREATED", kind: "time" },
    lastUsedAt: { header: "LAST USED", kind: "time" },
    expiresAt: { header: "EXPIRES", kind: "time" },
  },
});

/** The columns at the terminal, where a key for all games or environments is marked with a word. */
export const keyTableColumns: readonly TableColumn<ApiKeySummary>[] = keyColumns.map((column) => {
  if (column.key === "kind") return groupColumn(column);
  if (column.key !== "game" && column.key !== "environment") return column;
  return groupColumn({ ...column, value: (key) => column.value(key) ?? "all" });
});
