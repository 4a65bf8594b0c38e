/** admin webhooks remove: removes a webhook and the events that wait for it. */

import { formatCount } from "../../../../render/numbers.ts";
import { deleteWebhook } from "../../../../server/notifications/notification-queries.ts";
import { requireWebhook } from "../../../../server/notifications/webhooks.ts";
import { command } from "../../../command.ts";
import { showWebhookUrl } from "../../../webhook-url.ts";
import { type AdminContext, administerConfirmed, destructiveAdminFlags } from "../administer.ts";
import { webhookArgument } from "./argument.ts";

export const removeWebhookCommand = command({
  path: "admin webhooks remove",
  summary: "Remove a webhook, its secret and the events that wait for it",
  args: [webhookArgument],
  flags: destructiveAdminFlags,
  examples: ["admin webhooks remove whk_0123", "admin webhooks remove whk_0123 --yes"],
  async run(context, { args: [id = ""], flags }) {
    const find = ({ db, accountId }: AdminContext) => requireWebhook(db, accountId, id);
    const { pending } = await administerConfirmed(
      context,
      flags,
      async (admin) => {
        const { url, pending: waiting } = await find(admin);
        return `Remove the webhook to ${showWebhookUrl(url)} and ${formatCount(waiting, "waiting event")}?`;
      },
      async (admin) => {
        const webhook = await find(admin);
        admin.note.target = webhook.id;
        await deleteWebhook(admin.db, admin.accountId, webhook.id);
        return webhook;
      },
    );
    return {
      data: { removed: id, pending },
      view: () => `Removed the webhook ${id} and ${formatCount(pending, "waiting event")}.\n`,
    };
  },
});
