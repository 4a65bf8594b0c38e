/** The `admin budgets` commands: what keys, games and accounts have used of their budgets of a day, and their limits. */
import { formatShare } from "../../../render/numbers.ts";
import { defineColumns } from "../../../render/tables/columns.ts";
import { findAccountKeys } from "../../../server/accounts/account-queries.ts";
import { toKeyId } from "../../../server/accounts/keys.ts";
import {
  findLimits,
  findUses,
  type Subject,
  setLimit,
  toAccountSubject,
  toGameSubject,
  toKeySubject,
} from "../../../server/db/budgets/budget-queries.ts";
import { type BudgetName, budgetNames, getBudget } from "../../../server/db/budgets/definitions.ts";
import { findAccountGames } from "../../../server/games/game-queries.ts";
import { DAY_MS } from "../../../shared/time-units.ts";
import { command } from "../../command.ts";
import { fail } from "../../errors.ts";
import { text, time } from "../../flags.ts";
import { createListTable } from "../lists.ts";
import { type AdminContext, adminFlags, administer, failNotFound } from "./administer.ts";

interface BudgetUse {
  readonly scope: "account" | "game" | "key";
  /** The slug of the game, the id of the key, or the id of the account. */
  readonly name: string;
  readonly budget: BudgetName;
  readonly used: number;
  /** Null without a limit. */
  readonly limit: number | null;
  /** Whether an operator has set the limit. */
  readonly isSet: boolean;
}

interface Owner extends Pick<BudgetUse, "scope" | "name"> {
  readonly subject: Subject;
}

async function listOwners({ db, accountId }: AdminContext): Promise<Owner[]> {
  const games = await findAccountGames(db, accountId);
  const keys = (await findAccountKeys(db, accountId)).filter(({ kind }) => kind === "ingest");
  return [
    { scope: "account", name: accountId, subject: toAccountSubject(accountId) },
    ...games.map(({ id, slug }) => ({ scope: "game" as const, name: slug, subject: toGameSubject(id) })),
    ...keys.map(({ hash }) => ({ scope: "key" as const, name: toKeyId(hash), subject: toKeySubject(hash) })),
  ];
}

/** The budgets that were used on a day or have a limit of their own. */
async function readUses(admin: AdminContext, day: number): Promise<BudgetUse[]> {
  const owners = await listOwners(admin);
  const subjects = owners.map(({ subject }) => subject);
  const uses = await findUses(admin.db, subjects, day);
  const limits = await findLimits(admin.db, subjects);
  return owners.flatMap(({ subject, scope, name }) =>
    budgetNames.flatMap((budget) => {
      const isOwn = (row: { readonly subject: string; readonly budget: string }) =>
        row.subject === subject && row.budget === budget;
      const used = uses.find(isOwn)?.used ?? 0;
      const set = limits.find(isOwn);
      if (used === 0 && set === undefined) return [];
      const limit = set === undefined ? getBudget(budget).limit : set.max_use;
      return [{ scope, name, budget, used, limit, isSet: set !== undefined }];
    }),
  );
}

const useColumns = defineColumns<BudgetUse>({
  scope: { header: "SCOPE", groups: true },
  name: { header: "NAME", tone: "strong", shrink: 1 },
  budget: { header: "BUDGET" },
  used: { header: "USED" },
  limit: { header: "LIMIT", value: ({ limit }) => limit ?? "none" },
  share: {
    header: "SHARE",
    value: ({ used, limit }) => (limit === null || limit === 0 ? null : formatShare(used / limit)),
  },
});

export const listBudgetsCommand = command({
  path: "admin budgets list",
  summary: "List what keys, games and the account have used of their budgets of a day",
  details:
    "Shows budgets that were used or whose limit you have set. A server stores its counts every few seconds. A key without a limit of its own has that of the game. " +
    "The limits page of the docs describes each budget.",
  flags: { ...adminFlags, day: time("--day <date>", "UTC day (default: today); 30 days are kept") },
  examples: ["admin budgets list", "admin budgets list --day 2026-03-01"],
  async run(context, { flags: { day, ...flags } }) {
    const rows = await administer(context, flags, async (admin) => {
      const at = day ?? admin.service.now();
      return await readUses(admin, Math.floor(at / DAY_MS) * DAY_MS);
    });
    const empty = "No budget was used on this day.";
    return { data: { budgets: rows }, table: await createListTable(context, rows, useColumns, empty) };
  },
});

export const setBudgetCommand = command({
  path: "admin budgets set",
  summary: "Set the limit of a budget per UTC day",
  details:
    `Budgets: ${budgetNames.join(", ")}. The limit of webhook messages, model calls and model tokens applies to the account, ` +
    "and any other limit to the current game, or with --key to a key. Servers apply it within 10 seconds.",
  args: [
    { name: "<budget>", describe: "name of the budget" },
    { name: "<limit>", describe: "a number, `none` for no limit, or `default`" },
  ],
  flags: {
    ...adminFlags,
    key: text("--key <id>", "ingest key, as `playtest admin keys list` shows it (default: the current game)"),
  },
  examples: [
    "admin budgets set events 1000000 --game ember",
    "admin budgets set new-devices none --key 91ab3f0c77de",
    "admin budgets set model-calls 2000",
  ],
  async run(context, { args, flags: { key, ...flags } }) {
    const budget = readBudget(args[0] ?? "");
    const limit = readLimit(args[1] ?? "");
    if (key !== undefined && getBudget(budget).scope === "account") {
      throw fail("usage", {
        message: `--key cannot be used with ${budget}, which is a budget of the account`,
        hint: "Omit --key.",
      });
    }
    const row = await administer(context, flags, async (admin): Promise<BudgetUse> => {
      const owner = await findOwner(admin, budget, key);
      await setLimit(admin.db, owner.subject, budget, limit);
      admin.note.target = owner.name;
      admin.note.detail = { budget, limit: limit === undefined ? "default" : limit };
      const { scope, name, subject } = owner;
      const day = Math.floor(admin.service.now() / DAY_MS) * DAY_MS;
      const uses = await findUses(admin.db, [subject], day);
      const used = uses.find((use) => use.budget === budget)?.used ?? 0;
      const isSet = limit !== undefined;
      return { scope, name, budget, used, limit: isSet ? limit : getBudget(budget).limit, isSet };
    });
    return { data: { budget: row }, table: await createListTable(context, [row], useColumns, "") };
  },
});

async function findOwner(admin: AdminContext, budget: BudgetName, key: string | undefined): Promise<Owner> {
  if (getBudget(budget).scope === "account") {
    const { accountId } = admin;
    return { scope: "account", name: accountId, subject: toAccountSubject(accountId) };
  }
  if (key === undefined) {
    const { id, slug } = await admin.game();
    return { scope: "game", name: slug, subject: toGameSubject(id) };
  }
  const owner = (await listOwners(admin)).find(({ scope, name }) => scope === "key" && name === key);
  if (owner) return owner;
  throw failNotFound(`ingest key ${JSON.stringify(key)}`, "`playtest admin keys list` to list the keys");
}

function readBudget(name: string): BudgetName {
  const budget = budgetNames.find((each) => each === name);
  if (budget) return budget;
  throw fail("usage", {
    message: `Unknown budget ${JSON.stringify(name)}`,
    hint: `Use one of ${budgetNames.join(", ")}.`,
  });
}

/** A limit; null for none, undefined for the default. */
function readLimit(value: string): number | null | undefined {
  if (value === "none") return null;
  if (value === "default") return undefined;
  const limit = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (Number.isSafeInteger(limit)) return limit;
  throw fail("usage", {
    message: `Invalid limit ${JSON.stringify(value)}`,
    hint: "Use a number such as 1000000, `none` or `default`.",
  });
}
