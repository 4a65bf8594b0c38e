/** The columns of model providers. Their keys are never shown. */

import { toColumns } from "../../../../render/tables/resource-columns.ts";
import type { ProviderRow } from "../../../../server/db/schema.ts";

/** A model provider in the output of commands. */
export interface ProviderView {
  readonly kind: ProviderRow["kind"];
  readonly baseUrl: string;
  readonly model: string;
  readonly timeoutMs: number;
  /** Unix ms. */
  readonly updatedAt: number;
}

export function toProviderView(row: Omit<ProviderRow, "api_key">): ProviderView {
  const { kind, base_url, model, timeout_ms, updated_at } = row;
  return { kind, baseUrl: base_url, model, timeoutMs: timeout_ms, updatedAt: updated_at };
}

export const providerColumns = toColumns<ProviderView>({
  columns: {
    kind: { header: "KIND" },
    model: { header: "MODEL" },
    baseUrl: { header: "URL", shrink: 1 },
    timeoutMs: { header: "DEADLINE", value: ({ timeoutMs }) => `${timeoutMs / 1000}s` },
  },
});

export const providerKinds = ["chat", "embedding"] as const;
