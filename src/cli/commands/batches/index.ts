/** The commands about playtest batches. */
import { getBatchCommand } from "./get.ts";
import { listBatchInvitesCommand } from "./invites.ts";
import { listBatchKeysCommand } from "./keys.ts";
import { listBatchesCommand } from "./list.ts";

export const commands = [listBatchesCommand, getBatchCommand, listBatchKeysCommand, listBatchInvitesCommand];
