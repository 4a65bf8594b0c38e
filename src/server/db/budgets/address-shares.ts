/** Counts what each address uses of the budgets of a game or key on a day. */
import type { Subject } from "./budget-queries.ts";
import type { BudgetName } from "./definitions.ts";

/**
 * Maximum number of addresses that are counted. Beyond it, those that have sent nothing for the longest time are forgotten. An
 * attacker with more addresses can only use the half of a budget that is not kept for known devices.
 */
export const MAX_ADDRESSES = 100_000;

export class AddressShares {
  #day = 0;
  #addresses = new Map<string, Map<BudgetName, number>>();

  getUsed(subject: Subject, network: string, budget: BudgetName, day: number): number {
    return this.#day === day ? (this.#addresses.get(`${subject} ${network}`)?.get(budget) ?? 0) : 0;
  }

  add(subject: Subject, network: string, budget: BudgetName, amount: number, day: number): void {
    // A refund of yesterday does not begin a day.
    if (this.#day !== day && amount < 0) return;
    if (this.#day !== day) {
      this.#day = day;
      this.#addresses = new Map();
    }
    const key = `${subject} ${network}`;
    const used = this.#addresses.get(key) ?? new Map<BudgetName, number>();
    used.set(budget, (used.get(budget) ?? 0) + amount);
    this.#addresses.delete(key);
    this.#addresses.set(key, used);
    if (this.#addresses.size <= MAX_ADDRESSES) return;
    const [oldest = key] = this.#addresses.keys();
    this.#addresses.delete(oldest);
  }
}
