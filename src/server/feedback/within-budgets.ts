/** Stores what a game client sends within the budgets of its key and game. */
import { DAY_MS } from "../../shared/time-units.ts";
import { type BudgetClaim, type BudgetSource, type SourceAmounts, UNLIMITED } from "../db/budgets/budgets.ts";
import type { Db } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { isDeviceKnownSince } from "../telemetry/known-source-queries.ts";

/** Who sends a request, and the size of its body after decompression. */
export interface Sender extends Pick<BudgetSource, "keyHash" | "network"> {
  readonly bodyBytes: number;
}

/** Takes what a request stores, and its bytes. Throws `rate_limited` if a budget is spent. */
export type TakeBudget = (
  game: { readonly gameId: string; readonly deviceId: string | null },
  amounts: SourceAmounts,
) => Promise<BudgetClaim>;

/** Runs `store` in a transaction. What it took is released if the transaction fails. Without a sender, nothing is counted. */
export async function storeWithinBudgets<T>(
  service: Service,
  sender: Sender | null,
  store: (db: Db, take: TakeBudget) => Promise<T>,
): Promise<T> {
  let claim: BudgetClaim | null = null;
  const takeFrom =
    (db: Db): TakeBudget =>
    async ({ gameId, deviceId }, amounts) => {
      if (sender === null) return UNLIMITED;
      const isKnownDevice = () => isDeviceKnownSince(db, gameId, deviceId, service.now() - DAY_MS);
      claim = service.budgets.claim(db, { ...sender, gameId, isKnownDevice });
      const spent = await claim.take({ ...amounts, bytes: sender.bodyBytes });
      if (spent) throw service.budgets.toError(spent);
      return claim;
    };
  return await service.commits.run(
    (db) => store(db, takeFrom(db)),
    () => claim?.release(),
  );
}
