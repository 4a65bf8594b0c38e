/** The `admin ... list` commands that show a whole list of the local database. */
import { experiments } from "../../../contract/experiments.ts";
import { forms } from "../../../contract/forms.ts";
import { games } from "../../../contract/games.ts";
import type { TableColumn } from "../../../render/columns.ts";
import { toColumns } from "../../../render/tables/resource-columns.ts";
import { findAccountKeys, listAccounts } from "../../../server/accounts/account-queries.ts";
import { findProviders } from "../../../server/analysis/provider/provider-queries.ts";
import {
  findAudiences,
  findExperiments,
  toExperiment,
} from "../../../server/experiments/experiment-queries.ts";
import { findForms } from "../../../server/feedback/form-queries.ts";
import { findAccountGames, toGame } from "../../../server/games/game-queries.ts";
import { findWebhooks } from "../../../server/notifications/notification-queries.ts";
import { findEventConfig } from "../../../server/telemetry/event-config-queries.ts";
import { type Command, command } from "../../command.ts";
import { createListTable } from "../lists.ts";
import { databaseFlags, existingDatabaseFlag } from "../server/local.ts";
import { accountColumns, toAccount } from "./accounts.ts";
import { type AdminContext, adminFlags, administer } from "./administer.ts";
import { audienceColumns, toAudience } from "./audiences.ts";
import { settingColumns, toEventSetting } from "./event-config.ts";
import { keyColumns, keyTableColumns, toApiKeySummary } from "./keys.ts";
import { providerColumns, toProviderView } from "./providers.ts";
import { toWebhookView, webhookColumns } from "./webhooks.ts";

interface AdminList<Row> extends Pick<Command, "path" | "summary" | "examples"> {
  readonly details?: string;
  /** The field of the JSON output that contains the rows. */
  readonly field: string;
  readonly columns: readonly TableColumn<Row>[];
  /** The columns at the terminal, if they differ. */
  readonly tableColumns?: readonly TableColumn<Row>[];
  /** Printed on stderr without rows. */
  readonly empty: string;
  /** Whether the list covers all accounts. */
  readonly allAccounts?: true;
  read(admin: AdminContext): Promise<readonly Row[]>;
}

function createAdminListCommand<Row>(list: AdminList<Row>): Command {
  const { field, columns, tableColumns = columns, empty, allAccounts, read, ...texts } = list;
  return command({
    ...texts,
    flags: allAccounts ? { ...databaseFlags, database: existingDatabaseFlag } : adminFlags,
    async run(context, { flags }) {
      const rows = await administer(context, flags, read);
      const shown = context.settings.format.value === "table" ? tableColumns : columns;
      return { data: { [field]: rows }, table: await createListTable(context, rows, shown, empty) };
    },
  });
}

export const listAccountsCommand = createAdminListCommand({
  path: "admin accounts list",
  summary: "List accounts, oldest first",
  details: "The first account is the default for commands that take --account.",
  examples: ["admin accounts list", "admin accounts list --json"],
  field: "accounts",
  columns: accountColumns,
  empty: "No accounts.",
  allAccounts: true,
  read: async ({ db }) => (await listAccounts(db)).map((row) => toAccount(row, row.games)),
});

export const listGamesCommand = createAdminListCommand({
  path: "admin games list",
  summary: "List an account's games, newest first",
  examples: ["admin games list", "admin games list --account studio --json"],
  field: "games",
  columns: toColumns(games),
  empty: "No games yet. Run `playtest admin games create <slug>` to create one.",
  read: async ({ db, accountId }) => (await findAccountGames(db, accountId)).map(toGame),
});

export const listKeysCommand = createAdminListCommand({
  path: "admin keys list",
  summary: "List an account's API keys, oldest first",
  details: "Each key is shown as the first 12 characters of its hash.",
  examples: ["admin keys list", "admin keys list --account studio"],
  field: "keys",
  columns: keyColumns,
  tableColumns: keyTableColumns,
  empty: "No keys. `playtest admin keys rotate` creates the first management key.",
  read: async ({ db, accountId }) => (await findAccountKeys(db, accountId)).map(toApiKeySummary),
});

export const listAudiencesCommand = createAdminListCommand({
  path: "admin audiences list",
  summary: "List a game's audiences, newest first",
  examples: ["admin audiences list --game ember"],
  field: "audiences",
  columns: audienceColumns,
  empty: "No audiences yet.",
  read: async ({ db, game }) => (await findAudiences(db, (await game()).id)).map(toAudience),
});

export const listExperimentsCommand = createAdminListCommand({
  path: "admin experiments list",
  summary: "List a game's experiments, newest first",
  examples: ["admin experiments list --game ember"],
  field: "experiments",
  columns: toColumns(experiments),
  empty: "No experiments yet.",
  read: async ({ db, game }) => (await findExperiments(db, (await game()).id)).map(toExperiment),
});

export const listFormsCommand = createAdminListCommand({
  path: "admin forms list",
  summary: "List a game's feedback forms, newest first",
  examples: ["admin forms list --game ember"],
  field: "forms",
  columns: toColumns(forms),
  empty: "No feedback forms yet.",
  read: async ({ db, game }) => await findForms(db, (await game()).id),
});

export const listEventConfigCommand = createAdminListCommand({
  path: "admin event-config list",
  summary: "List events whose settings have been changed",
  examples: ["admin event-config list --game ember"],
  field: "events",
  columns: settingColumns,
  empty: "No events have changed settings.",
  read: async ({ db, game }) => (await findEventConfig(db, (await game()).id)).map(toEventSetting),
});

export const listProvidersCommand = createAdminListCommand({
  path: "admin providers list",
  summary: "List an account's model providers, without their keys",
  examples: ["admin providers list"],
  field: "providers",
  columns: providerColumns,
  empty: "No model providers configured.",
  read: async ({ db, accountId }) => (await findProviders(db, accountId)).map(toProviderView),
});

export const listWebhooksCommand = createAdminListCommand({
  path: "admin webhooks list",
  summary: "List an account's webhooks, with what waits for them and why they fail",
  examples: ["admin webhooks list", "admin webhooks list --wide"],
  field: "webhooks",
  columns: webhookColumns,
  empty: "No webhooks configured.",
  async read({ db, accountId }) {
    const slugs = new Map((await findAccountGames(db, accountId)).map(({ id, slug }) => [id, slug]));
    return (await findWebhooks(db, accountId)).map((row) => toWebhookView(row, slugs));
  },
});
