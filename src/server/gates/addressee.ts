/** Where the events of a gate go. */
import { toStatusPath } from "../../webhooks/commit-status.ts";
import type { GateRow } from "../db/schema.ts";
import type { Addressee } from "../notifications/outbox.ts";

/** The receiver of a gate. `commit_hash` is set if it shows statuses of commits. */
export const toAddressee = ({
  webhook_id,
  commit_hash,
}: Pick<GateRow, "webhook_id" | "commit_hash">): Addressee => ({
  webhookId: webhook_id,
  path: commit_hash === null ? null : toStatusPath(commit_hash),
});
