/** The `admin webhooks` commands. */

import { listWebhooksCommand } from "../lists.ts";
import { addWebhookCommand } from "./add.ts";
import { removeWebhookCommand } from "./remove.ts";
import { testWebhookCommand } from "./test.ts";

export const webhookCommands = [
  addWebhookCommand,
  listWebhooksCommand,
  removeWebhookCommand,
  testWebhookCommand,
];
