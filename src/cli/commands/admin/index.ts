/** The `admin` commands, which administer the local database directly. */
import { translatingServiceErrors } from "../server/service-errors.ts";
import { createAccountCommand, listAccountsCommand } from "./accounts.ts";
import { addSessionCommand } from "./add-session.ts";
import { createAudienceCommand, listAudiencesCommand } from "./audiences.ts";
import { listAuditCommand } from "./audit.ts";
import { createBatchCommand, inviteCommand, openInviteCommand } from "./batches.ts";
import { listBudgetsCommand, setBudgetCommand } from "./budgets.ts";
import { buildCommands } from "./builds.ts";
import { replayWebhookCommand, rotateSecretCommand, setTokenCommand } from "./change-webhooks.ts";
import {
  listEventConfigCommand,
  listRoomsCommand,
  setEventConfigCommand,
  setRoomCommand,
} from "./event-config.ts";
import { lifecycleCommands } from "./experiment-changes.ts";
import { createExperimentCommand, deleteExperimentCommand, listExperimentsCommand } from "./experiments.ts";
import { createFormCommand, listFormsCommand, setFormCommand } from "./forms.ts";
import { createGameCommand, deleteGameCommand, listGamesCommand, renameGameCommand } from "./games.ts";
import { closeGateCommand } from "./gates.ts";
import { claimTokenCommand, createHandleCommand } from "./handles.ts";
import { createKeyCommand, listKeysCommand } from "./keys.ts";
import { personalDataCommand } from "./personal-data.ts";
import {
  addKeysCommand,
  redeemCommand,
  revokeKeyCommand as revokePlaytestKeyCommand,
} from "./playtest-keys.ts";
import { listProvidersCommand, removeProviderCommand, setProviderCommand } from "./providers.ts";
import { listQuarantinesCommand, quarantineCommand, releaseCommand } from "./quarantine.ts";
import { revokeKeyCommand, rotateKeyCommand } from "./revoke-keys.ts";
import { sdkSettingsCommand } from "./sdk-settings.ts";
import { deleteSessionsCommand, retrySessionCommand, transcriptCommand } from "./sessions.ts";
import { generateDigestCommand, generateSummariesCommand } from "./summaries.ts";
import { testWebhookCommand } from "./test-webhook.ts";
import { eraseTesterCommand, exportTesterCommand } from "./testers.ts";
import { addWebhookCommand, listWebhooksCommand, removeWebhookCommand } from "./webhooks.ts";

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
  quarantineCommand,
  releaseCommand,
  listQuarantinesCommand,
  eraseTesterCommand,
  exportTesterCommand,
  personalDataCommand,
  createAudienceCommand,
  listAudiencesCommand,
  createExperimentCommand,
  ...lifecycleCommands,
  deleteExperimentCommand,
  listExperimentsCommand,
  generateDigestCommand,
  createFormCommand,
  listFormsCommand,
  setFormCommand,
  createBatchCommand,
  addKeysCommand,
  revokePlaytestKeyCommand,
  redeemCommand,
  inviteCommand,
  openInviteCommand,
  createHandleCommand,
  claimTokenCommand,
  ...buildCommands,
  setEventConfigCommand,
  listEventConfigCommand,
  setRoomCommand,
  listRoomsCommand,
  setProviderCommand,
  listProvidersCommand,
  removeProviderCommand,
  addWebhookCommand,
  listWebhooksCommand,
  removeWebhookCommand,
  testWebhookCommand,
  replayWebhookCommand,
  rotateSecretCommand,
  setTokenCommand,
  closeGateCommand,
  listBudgetsCommand,
  setBudgetCommand,
  listAuditCommand,
  generateSummariesCommand,
].map(translatingServiceErrors);
