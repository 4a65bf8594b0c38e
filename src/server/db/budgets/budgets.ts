/** Checks requests of game clients and work of the service against the budgets of the day. */
import { HttpError } from "../../../contract/errors.ts";
import { BUDGET_SPENT } from "../../../contract/refusals.ts";
import { DAY_MS, HOUR_MS } from "../../../shared/time-units.ts";
import type { Dependencies } from "../../core/dependencies.ts";
import type { Db } from "../schema.ts";
import type { Store } from "../store.ts";
import { AddressShares } from "./address-shares.ts";
import { type Subject, toAccountSubject, toGameSubject, toKeySubject } from "./budget-queries.ts";
import {
  type BudgetName,
  budgetNames,
  formatBudget,
  getBudget,
  type SourceBudget,
  type SpendingBudget,
  toAddressLimit,
} from "./definitions.ts";
import { UseCounters } from "./use-counters.ts";

/**
 * Longest time until a client or the service tries again beyond a budget, ms. A new day starts with full budgets, and an
 * operator may raise a limit before.
 */
const MAX_WAIT_MS = HOUR_MS;

/** Who sends a request of a game client. */
export interface BudgetSource {
  readonly keyHash: string;
  readonly gameId: string;
  /** The network of the address. */
  readonly network: string;
  /** Whether the device was first seen more than a day ago. Asked only once half of a budget is used. */
  isKnownDevice(): Promise<boolean>;
}

export type SourceAmounts = { readonly [Name in SourceBudget]?: number };

/** What a request has taken from the budgets of its key and game. */
export interface BudgetClaim {
  /** Takes more. Returns the budget that is spent, in which case nothing was taken, or null. */
  take(amounts: SourceAmounts): Promise<SpentBudget | null>;
  /** Releases what was not stored. */
  refund(amounts: SourceAmounts): void;
  /** Releases everything, because nothing was stored. Further calls do nothing. */
  release(): void;
}

/** A budget that has no capacity for a request. */
export interface SpentBudget {
  readonly budget: BudgetName;
  readonly limit: number;
  /** Why a part of the limit does not count: other addresses or known devices have it. */
  readonly keptFor: "addresses" | "devices" | null;
}

/** The share of a limit that has been used, of the subject that has used most. */
export type HighestShares = Readonly<Record<BudgetName, number>>;

/** Nothing is counted, for bulk loads. */
export const NO_BUDGETS = "off";

export class Budgets {
  readonly #counters: UseCounters;
  readonly #addresses = new AddressShares();
  /** The game whose limits a key without limits of its own had last. */
  readonly #gamesOfKeys = new Map<Subject, Subject>();
  readonly #now: () => number;
  readonly #isOff: boolean;

  constructor(
    store: Pick<Store, "write">,
    dependencies: Pick<Dependencies, "now" | "monotonicNow" | "report">,
    setting: typeof NO_BUDGETS | "on" = "on",
  ) {
    this.#counters = new UseCounters(store, dependencies);
    this.#now = dependencies.now;
    this.#isOff = setting === NO_BUDGETS;
  }

  /** Starts to count a request. It has taken nothing yet. `db` may be the transaction of the request. */
  claim(db: Db, source: BudgetSource): BudgetClaim {
    if (this.#isOff) return UNLIMITED;
    // A key without a limit of its own has that of the game, so that an operator sets one limit and not two.
    const game = toGameSubject(source.gameId);
    const key = toKeySubject(source.keyHash);
    const subjects = [game, key];
    this.#gamesOfKeys.set(key, game);
    const day = this.#counters.day;
    const taken = new Map<SourceBudget, number>();
    const add = (amounts: SourceAmounts, sign: 1 | -1) => {
      for (const [budget, amount] of listAmounts(amounts)) {
        taken.set(budget, (taken.get(budget) ?? 0) + sign * amount);
        for (const subject of subjects) {
          this.#counters.add(subject, budget, sign * amount, day);
          this.#addresses.add(subject, source.network, budget, sign * amount, day);
        }
      }
    };
    const findSpent = (amounts: SourceAmounts, isKnown: boolean) => {
      for (const [budget, amount] of listAmounts(amounts))
        for (const subject of subjects) {
          const limit = this.#counters.getLimit(subject, budget, game);
          if (limit === null) continue;
          const used = {
            total: this.#counters.getUsed(subject, budget) + amount,
            address: this.#addresses.getUsed(subject, source.network, budget, day) + amount,
          };
          const keptFor = findShortage(budget, limit, used, isKnown);
          if (keptFor !== undefined) return { budget, limit, keptFor };
        }
      return null;
    };
    return {
      take: async (amounts) => {
        await this.#counters.load(db, [game, key]);
        let spent = findSpent(amounts, false);
        if (spent?.keptFor === "devices" && (await source.isKnownDevice())) spent = findSpent(amounts, true);
        if (spent === null) add(amounts, 1);
        return spent;
      },
      refund: (amounts) => add(amounts, -1),
      release: () => {
        add(Object.fromEntries(taken), -1);
      },
    };
  }

  /** Takes from the budgets of an account. Returns null, or when the work can be tried again if one is spent, unix ms. */
  async spend(
    db: Db,
    accountId: string,
    amounts: { readonly [Name in SpendingBudget]?: number },
  ): Promise<number | null> {
    if (this.#isOff) return null;
    const names = Object.keys(amounts) as SpendingBudget[];
    const until = await this.findSpentUntil(db, accountId, names);
    if (until !== null) return until;
    for (const name of names) this.#counters.add(toAccountSubject(accountId), name, amounts[name] ?? 0);
    return null;
  }

  /** Counts what was already spent, which may exceed the budget by what one piece of work costs. */
  addSpent(accountId: string, name: SpendingBudget, amount: number): void {
    if (!this.#isOff) this.#counters.add(toAccountSubject(accountId), name, amount);
  }

  /** When work can be tried again because one of the budgets of an account is spent, unix ms; null if none is. */
  async findSpentUntil(db: Db, accountId: string, names: readonly SpendingBudget[]): Promise<number | null> {
    if (this.#isOff) return null;
    const subject = toAccountSubject(accountId);
    await this.#counters.load(db, [subject]);
    const isSpent = names.some((name) => {
      const limit = this.#counters.getLimit(subject, name);
      return limit !== null && this.#counters.getUsed(subject, name) >= limit;
    });
    return isSpent ? this.#now() + this.#getWaitMs() : null;
  }

  /** The error of a request of a game client that a budget does not allow. */
  toError({ budget, limit, keptFor }: SpentBudget): HttpError {
    const retryAfterMs = this.#getWaitMs();
    const message = `The budget of ${formatBudget(budget, limit)} is spent${explanations[keptFor ?? "all"]}`;
    return new HttpError("rate_limited", {
      message,
      extra: { reason: BUDGET_SPENT, retryAfterMs, scope: keptFor === "addresses" ? "ip" : "key" },
    });
  }

  #getWaitMs(): number {
    return Math.max(1, Math.min(MAX_WAIT_MS, this.#counters.day + DAY_MS - this.#now()));
  }

  /** How much of each budget the subject with the highest share has used today, as far as this process knows. */
  measure(): HighestShares {
    const shares = Object.fromEntries(budgetNames.map((name) => [name, 0])) as Record<BudgetName, number>;
    for (const { subject, budget, used } of this.#counters.listUses()) {
      const limit = this.#counters.getLimit(subject, budget, this.#gamesOfKeys.get(subject));
      if (limit !== null) shares[budget] = Math.max(shares[budget], limit === 0 ? 1 : used / limit);
    }
    return shares;
  }

  /** Stores what was counted. */
  async drain(): Promise<void> {
    await this.#counters.drain();
  }

  async stop(): Promise<void> {
    await this.#counters.stop();
  }
}

/** What the message of an error adds. */
const explanations = {
  addresses: " for this address, which may use only a part of it",
  devices: " for new devices, because half of it is kept for devices known for a day",
  all: "",
};

const listAmounts = (amounts: SourceAmounts) =>
  (Object.entries(amounts) as [SourceBudget, number][]).filter(([, amount]) => amount > 0);

/** Whether an amount exceeds a limit, and why; undefined if it does not. */
function findShortage(
  name: BudgetName,
  limit: number,
  used: { readonly total: number; readonly address: number },
  isKnown: boolean,
): SpentBudget["keptFor"] | undefined {
  if (used.total > limit) return null;
  const addressLimit = toAddressLimit(name, limit);
  if (addressLimit !== null && used.address > addressLimit) return "addresses";
  if (getBudget(name).keepsHalf && !isKnown && used.total > limit / 2) return "devices";
  return undefined;
}

/** A claim that counts nothing. */
export const UNLIMITED: BudgetClaim = { take: async () => null, refund: () => {}, release: () => {} };
