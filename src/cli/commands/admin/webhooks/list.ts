/** admin webhooks list: lists the webhooks of an account, without their secrets. */
import { findAccountGames } from "../../../../server/games/queries.ts";
import { findWebhooks } from "../../../../server/notifications/queries.ts";
import { command, createTable } from "../../../command.ts";
import { adminFlags, administer } from "../administer.ts";
import { toWebhookView, webhookColumns } from "./columns.ts";

export const listWebhooksCommand = command({
  path: "admin webhooks list",
  summary: "List an account's webhooks, with what waits for them and why they fail",
  args: [],
  flags: adminFlags,
  examples: ["admin webhooks list", "admin webhooks list --wide"],
  async run(context, { flags }) {
    const webhooks = await administer(context, flags, async ({ db, accountId }) => {
      const slugs = new Map((await findAccountGames(db, accountId)).map(({ id, slug }) => [id, slug]));
      return (await findWebhooks(db, accountId)).map((row) => toWebhookView(row, slugs));
    });
    return { data: { webhooks }, table: createTable(webhooks, webhookColumns, "No webhooks configured.") };
  },
});
