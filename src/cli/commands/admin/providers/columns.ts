/** The columns of model providers. Their keys are never shown. */

import { textColumn } from "../../../../render/tables/columns.ts";
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

export const providerColumns = [
  textColumn<ProviderView>("kind", "KIND", ({ kind }) => kind),
  textColumn<ProviderView>("model", "MODEL", ({ model }) => model),
  textColumn<ProviderView>("baseUrl", "URL", ({ baseUrl }) => baseUrl, 1),
  textColumn<ProviderView>("timeoutMs", "DEADLINE", ({ timeoutMs }) => `${timeoutMs / 1000}s`),
];

export const providerKinds = ["chat", "embedding"] as const;
