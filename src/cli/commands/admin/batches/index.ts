/** The `admin batches` commands. */
import { addKeysCommand } from "./add-keys.ts";
import { createBatchCommand } from "./create.ts";
import { inviteCommand } from "./invite.ts";
import { openInviteCommand } from "./open-invite.ts";
import { redeemCommand } from "./redeem.ts";
import { revokeKeyCommand } from "./revoke-key.ts";

export const batchCommands = [
  createBatchCommand,
  addKeysCommand,
  revokeKeyCommand,
  redeemCommand,
  inviteCommand,
  openInviteCommand,
];
