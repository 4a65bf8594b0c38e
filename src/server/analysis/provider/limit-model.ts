/** Counts requests to the AI models of an account toward its budget of the day, and reports those that fail. */
import type { ProviderRow } from "../../db/schema.ts";
import type { Service } from "../../db/service.ts";
import { type ModelBudget, ProviderFault } from "./faults.ts";

/** The budgets of requests to models. */
export const MODEL_BUDGETS = ["model-calls", "model-tokens"] as const;

/** A provider with the budget of its account. */
export type LimitedModel = ProviderRow & {
  readonly budget: ModelBudget;
  readonly onFault: (fault: ProviderFault) => void;
};

/** Adds the budget of the account. Requests beyond it fail with the reason `budget`, without reaching the model. */
export function limitModel(
  { budgets, store, observer }: Pick<Service, "budgets" | "store" | "observer">,
  provider: ProviderRow,
): LimitedModel {
  const { account_id, api_key } = provider;
  return {
    ...provider,
    onFault({ reason, status, message }) {
      // The budgets have a metric of their own.
      if (reason === "budget") return;
      const error = api_key ? message.replaceAll(api_key, "[key]") : message;
      observer.modelFailed({ accountId: account_id, reason, status, error });
    },
    budget: {
      async takeCall() {
        const { readDb } = store;
        const spentUntil =
          (await budgets.findSpentUntil(readDb, account_id, MODEL_BUDGETS)) ??
          (await budgets.spend(readDb, account_id, { "model-calls": 1 }));
        if (spentUntil !== null)
          throw new ProviderFault("budget", "The budget of model calls or tokens per day is spent");
      },
      addTokens: (tokens) => budgets.addSpent(account_id, "model-tokens", tokens),
    },
  };
}
