/**
 * The budgets of a UTC day: what everybody who has the key of a game may cause in total. Limits docs, metrics, the `admin budgets`
 * commands and the checks derive from this table.
 *
 * The defaults of volumes are ten times a day with 10,000 testers, which no honest studio meets: each plays two sessions of half an
 * hour with an event every 6 seconds (20,000 sessions, 6 million events of 200 bytes) and answers a form in each, and one in ten
 * reports a bug. Such a studio makes 200 builds and adds 500 event names in a day.
 */

/**
 * What happens beyond a budget. `volume`: the service answers 429, and clients keep their data. `names`: events are rejected one
 * by one. `spending`: the work waits, and no data is refused.
 */
type BudgetKind = "volume" | "names" | "spending";

interface BudgetDefinition {
  readonly kind: BudgetKind;
  /** What is counted, as in "the budget of 10,000 bug reports per day". */
  readonly unit: string;
  /** Whose use is counted: each ingest key and each game (`source`), or the account. */
  readonly scope: "source" | "account";
  /** The limit per UTC day, unless the operator sets another one. */
  readonly limit: number;
  /** The share of the limit that one address may use; null for work of the service, which has no address. */
  readonly addressShare: number | null;
  /** Whether devices that are not known for a day may only use the first half. */
  readonly keepsHalf: boolean;
  /** What counts, for the docs. */
  readonly description: string;
}

const ADDRESS_SHARE = 0.1;

const volume = { kind: "volume", scope: "source", addressShare: ADDRESS_SHARE, keepsHalf: true } as const;
const spending = { kind: "spending", scope: "account", addressShare: null, keepsHalf: false } as const;

export const budgets = {
  events: {
    ...volume,
    unit: "events",
    limit: 60_000_000,
    description: "events that are stored",
  },
  bytes: {
    ...volume,
    unit: "bytes",
    limit: 12_000_000_000,
    description:
      "all of the JSON of requests that store events, bug reports or feedback, after decompression",
  },
  sessions: {
    ...volume,
    unit: "sessions",
    limit: 200_000,
    description: "sessions that telemetry creates",
  },
  "new-devices": {
    ...volume,
    unit: "new devices",
    limit: 100_000,
    // 1,000 devices, as many as come through a booth or an office in a day.
    addressShare: 0.01,
    // All of them are unknown.
    keepsHalf: false,
    description: "devices that create their first session of the game",
  },
  "new-builds": {
    ...volume,
    unit: "new builds",
    limit: 2_000,
    description: "builds that get their first session",
  },
  "new-event-names": {
    ...volume,
    kind: "names",
    unit: "new event names",
    limit: 5_000,
    description: "names that the game has not sent before",
  },
  "bug-reports": {
    ...volume,
    unit: "bug reports",
    limit: 10_000,
    description: "bug reports that are stored",
  },
  feedback: {
    ...volume,
    unit: "submissions of feedback",
    limit: 200_000,
    description: "answered forms that are stored",
  },
  "webhook-messages": {
    ...spending,
    unit: "webhook messages",
    limit: 100_000,
    description: "attempts to send a message to a webhook",
  },
  "model-calls": {
    ...spending,
    unit: "model calls",
    limit: 500,
    description: "requests to the AI models of the account, without repeats after a failed connection",
  },
  "model-tokens": {
    ...spending,
    unit: "model tokens",
    limit: 5_000_000,
    description: "tokens that the models report; if they report none, a quarter of the characters",
  },
} as const satisfies Readonly<Record<string, BudgetDefinition>>;

export type BudgetName = keyof typeof budgets;
export const budgetNames = Object.keys(budgets) as BudgetName[];

type BudgetsOf<Facts> = {
  [Name in BudgetName]: (typeof budgets)[Name] extends Facts ? Name : never;
}[BudgetName];
/** What a request of a game client can use up. */
export type SourceBudget = BudgetsOf<{ readonly scope: "source" }>;
/** What the service spends for an account. */
export type SpendingBudget = BudgetsOf<{ readonly scope: "account" }>;

export const getBudget = (name: BudgetName): BudgetDefinition => budgets[name];

/** How much of a limit one address may use; null for all of it. */
export function toAddressLimit(name: BudgetName, limit: number): number | null {
  const { addressShare } = getBudget(name);
  return addressShare === null ? null : Math.max(1, Math.floor(limit * addressShare));
}

/** The budget as in "60,000,000 events per day". */
export const formatBudget = (name: BudgetName, limit: number): string =>
  `${limit.toLocaleString("en-US")} ${getBudget(name).unit} per day`;
