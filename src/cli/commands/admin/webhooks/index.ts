/** The `admin webhooks` commands. */
import { addWebhookCommand } from "./add.ts";
import { listWebhooksCommand } from "./list.ts";
import { removeWebhookCommand } from "./remove.ts";
import { testWebhookCommand } from "./test.ts";

export const webhookCommands = [
  addWebhookCommand,
  listWebhooksCommand,
  removeWebhookCommand,
  testWebhookCommand,
];
