/** The `admin` commands, which administer the local database directly. */
import { translatingServiceErrors } from "../server/service-errors.ts";
import { createAccountCommand } from "./accounts.ts";
import { addSessionCommand } from "./add-session.ts";
import { createAudienceCommand } from "./audiences.ts";
import { listAuditCommand } from "./audit.ts";
import { createBatchCommand, inviteCommand, openInviteCommand } from "./batches.ts";
import { setEventConfigCommand } from "./event-config.ts";
import { lifecycleCommands } from "./experiment-changes.ts";
import { createExperimentCommand, deleteExperimentCommand } from "./experiments.ts";
import { createFormCommand, setFormCommand } from "./forms.ts";
import { createGameCommand, deleteGameCommand, renameGameCommand } from "./games.ts";
import { claimTokenCommand, createHandleCommand } from "./handles.ts";
import { createKeyCommand } from "./keys.ts";
import * as lists from "./lists.ts";
import {
  addKeysCommand,
  redeemCommand,
  revokeKeyCommand as revokePlaytestKeyCommand,
} from "./playtest-keys.ts";
import { removeProviderCommand, setProviderCommand } from "./providers.ts";
import { revokeKeyCommand, rotateKeyCommand } from "./revoke-keys.ts";
import { sdkSettingsCommand } from "./sdk-settings.ts";
import { deleteSessionsCommand, retrySessionCommand, transcriptCommand } from "./sessions.ts";
import { generateDigestCommand, generateSummariesCommand } from "./summaries.ts";
import { testWebhookCommand } from "./test-webhook.ts";
import { eraseTesterCommand, exportTesterCommand } from "./testers.ts";
import { addWebhookCommand, removeWebhookCommand } from "./webhooks.ts";

export const commands = [
  createGameCommand,
  createAccountCommand,
  lists.listAccountsCommand,
  lists.listGamesCommand,
  renameGameCommand,
  deleteGameCommand,
  sdkSettingsCommand,
  createKeyCommand,
  lists.listKeysCommand,
  revokeKeyCommand,
  rotateKeyCommand,
  addSessionCommand,
  retrySessionCommand,
  transcriptCommand,
  deleteSessionsCommand,
  eraseTesterCommand,
  exportTesterCommand,
  createAudienceCommand,
  lists.listAudiencesCommand,
  createExperimentCommand,
  ...lifecycleCommands,
  deleteExperimentCommand,
  lists.listExperimentsCommand,
  generateDigestCommand,
  createFormCommand,
  lists.listFormsCommand,
  setFormCommand,
  createBatchCommand,
  addKeysCommand,
  revokePlaytestKeyCommand,
  redeemCommand,
  inviteCommand,
  openInviteCommand,
  createHandleCommand,
  claimTokenCommand,
  setEventConfigCommand,
  lists.listEventConfigCommand,
  setProviderCommand,
  lists.listProvidersCommand,
  removeProviderCommand,
  addWebhookCommand,
  lists.listWebhooksCommand,
  removeWebhookCommand,
  testWebhookCommand,
  listAuditCommand,
  generateSummariesCommand,
].map(translatingServiceErrors);
