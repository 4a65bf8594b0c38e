/** Table columns of batches, playtest keys and invites. */

import type { Batch, PlaytestKey, TesterInvite } from "../../contract/batches.ts";
import { ownValue } from "../../shared/own-value.ts";
import type { TableColumn } from "../columns.ts";
import type { Style } from "../style.ts";
import { groupColumn, idColumn, textColumn, timeColumn, wideColumn } from "./columns.ts";

export const batchColumns: readonly TableColumn<Batch>[] = [
  { key: "name", header: "NAME", value: (batch) => batch.name, style: "strong", shrink: 2 },
  idColumn("id", "ID", (batch) => batch.id),
  textColumn("key_count", "KEYS", (batch) => batch.key_count),
  textColumn("redeemed_count", "REDEEMED", (batch) => batch.redeemed_count),
  textColumn("revoked_count", "REVOKED", (batch) => batch.revoked_count),
  wideColumn(textColumn("distribution_target", "DISTRIBUTED VIA", (batch) => batch.distribution_target, 3)),
  timeColumn("expires_at", "EXPIRES", (batch) => batch.expires_at ?? null),
  wideColumn(timeColumn("created_at", "CREATED", (batch) => batch.created_at)),
  wideColumn(textColumn("fulfillment_source", "KEYS FROM", (batch) => batch.fulfillment_source)),
  wideColumn(textColumn("redemption_mode", "REDEEMED VIA", (batch) => batch.redemption_mode)),
  wideColumn(textColumn("identity_mode", "IDENTIFIED BY", (batch) => batch.identity_mode)),
  wideColumn(textColumn("share_token", "SHARE TOKEN", (batch) => batch.share_token ?? null)),
];

const keyStyles: Readonly<Record<string, Style>> = { redeemed: "good", revoked: "bad", expired: "muted" };

export const keyColumns: readonly TableColumn<PlaytestKey>[] = [
  textColumn("id", "ID", (key) => key.id),
  groupColumn({
    ...textColumn<PlaytestKey>("status", "STATUS", (key) => key.status),
    style: (key) => ownValue(keyStyles, key.status) ?? null,
  }),
  timeColumn("redeemed_at", "REDEEMED", (key) => key.redeemed_at ?? null),
  groupColumn(textColumn("redeemed_by_email", "EMAIL", (key) => key.redeemed_by_email ?? null, 2)),
  groupColumn(textColumn("redeemed_by_handle", "HANDLE", (key) => key.redeemed_by_handle ?? null, 3)),
  groupColumn(textColumn("redemption_country", "COUNTRY", (key) => key.redemption_country ?? null)),
  wideColumn(timeColumn("created_at", "CREATED", (key) => key.created_at)),
  wideColumn(textColumn("tester_invite_id", "INVITE ID", (key) => key.tester_invite_id ?? null)),
  wideColumn(
    textColumn("redemption_user_agent", "USER AGENT", (key) => key.redemption_user_agent ?? null, 1),
  ),
];

export const inviteColumns: readonly TableColumn<TesterInvite>[] = [
  { key: "email", header: "EMAIL", value: (invite) => invite.email, style: "strong", shrink: 1 },
  textColumn("id", "ID", (invite) => invite.id),
  timeColumn("sent_at", "INVITED", (invite) => invite.sent_at ?? null),
  timeColumn("opened_at", "OPENED", (invite) => invite.opened_at ?? null),
  timeColumn("redeemed_at", "REDEEMED", (invite) => invite.redeemed_at ?? null),
  wideColumn(textColumn("personal_note", "NOTE", (invite) => invite.personal_note ?? null, 2)),
];
