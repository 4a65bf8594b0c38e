/** The `admin` commands, which administer the local database directly. */

import { translatingServiceErrors } from "../server/service-errors.ts";
import { createAccountCommand } from "./accounts/create.ts";
import { audienceCommands } from "./audiences/index.ts";
import { listAuditCommand } from "./audit/list.ts";
import { batchCommands } from "./batches/index.ts";
import { generateDigestCommand } from "./digests/generate.ts";
import { eventConfigCommands } from "./event-config/index.ts";
import { experimentCommands } from "./experiments/index.ts";
import { formCommands } from "./forms/index.ts";
import { createGameCommand } from "./games/create.ts";
import { deleteGameCommand } from "./games/delete.ts";
import { renameGameCommand } from "./games/rename.ts";
import { sdkSettingsCommand } from "./games/sdk.ts";
import { handleCommands } from "./handles/index.ts";
import { createKeyCommand } from "./keys/create.ts";
import { revokeKeyCommand } from "./keys/revoke.ts";
import { rotateKeyCommand } from "./keys/rotate.ts";
import { listAccountsCommand, listGamesCommand, listKeysCommand } from "./lists.ts";
import { providerCommands } from "./providers/index.ts";
import { addSessionCommand } from "./sessions/add.ts";
import { deleteSessionsCommand } from "./sessions/delete.ts";
import { retrySessionCommand } from "./sessions/retry.ts";
import { transcriptCommand } from "./sessions/transcript.ts";
import { generateSummariesCommand } from "./summaries/generate.ts";
import { testerCommands } from "./testers/index.ts";
import { webhookCommands } from "./webhooks/index.ts";

export const commands = [
  createGameCommand,
  createAccountCommand,
  listAccountsCommand,
  listGamesCommand,
  renameGameCommand,
  deleteGameCommand,
  sdkSettingsCommand,
  createKeyCommand,
  listKeysCommand,
  revokeKeyCommand,
  rotateKeyCommand,
  addSessionCommand,
  retrySessionCommand,
  transcriptCommand,
  deleteSessionsCommand,
  ...testerCommands,
  ...audienceCommands,
  ...experimentCommands,
  generateDigestCommand,
  ...formCommands,
  ...batchCommands,
  ...handleCommands,
  ...eventConfigCommands,
  ...providerCommands,
  ...webhookCommands,
  listAuditCommand,
  generateSummariesCommand,
].map(translatingServiceErrors);
