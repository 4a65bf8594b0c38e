/** Table columns of testers, and of the people who never played. */

import type { NeverPlayedItem, TesterItem } from "../../contract/tester-list.ts";
import { ownValue } from "../../shared/own-value.ts";
import { formatTitleAndTag } from "../../shared/tags.ts";
import type { TableColumn } from "../columns.ts";
import { durationColumn, groupColumn, textColumn, timeColumn, wideColumn } from "./columns.ts";

const formatMore = (shown: readonly string[], total: number) =>
  total > shown.length ? `${shown.join(", ")}, +${total - shown.length}` : shown.join(", ");

export const testerColumns: readonly TableColumn<TesterItem>[] = [
  {
    ...textColumn<TesterItem>("tester", "TESTER", ({ handle, tester }) => handle ?? tester, 3),
    // A tester without a device is named by the id of the session.
    shortens: true,
    minWidth: 20,
    style: "strong",
  },
  textColumn("sessionCount", "SESSIONS", ({ sessionCount }) => sessionCount),
  durationColumn("activeSec", "ACTIVE TIME", ({ activeSec }) => activeSec),
  timeColumn("lastSeen", "LAST SEEN", ({ lastSeen }) => lastSeen),
  groupColumn(textColumn("builds", "BUILDS", ({ builds, buildCount }) => formatMore(builds, buildCount), 2)),
  textColumn(
    "friction",
    "FRICTION",
    ({ friction, frictionCount }) =>
      formatMore(
        friction.slice(0, 2).map(({ tag, sessions }) => (sessions > 1 ? `${tag} (${sessions})` : tag)),
        frictionCount,
      ),
    1,
  ),
  wideColumn(timeColumn("firstSeen", "FIRST SEEN", ({ firstSeen }) => firstSeen)),
  wideColumn(textColumn("deviceId", "DEVICE", ({ deviceId }) => deviceId ?? null)),
  wideColumn(
    textColumn("titles", "FRICTION IN WORDS", ({ friction }) => friction.map(formatTitleAndTag).join("; ")),
  ),
];

/** Why somebody counts as having never played, by the `reason` of the API. */
const reasonTexts: Readonly<Record<string, string>> = {
  "not-redeemed": "key not redeemed",
  "no-session": "no session",
  "not-linked": "unknown (no device linked)",
};

export const neverPlayedColumns: readonly TableColumn<NeverPlayedItem>[] = [
  {
    ...textColumn<NeverPlayedItem>("tester", "TESTER", ({ handle, email }) => handle ?? email ?? null, 2),
    style: "strong",
  },
  groupColumn(textColumn("reason", "PLAYED", ({ reason }) => ownValue(reasonTexts, reason) ?? reason)),
  groupColumn(textColumn("batch.name", "BATCH", ({ batch }) => batch.name, 1)),
  timeColumn("sentAt", "INVITED", ({ sentAt }) => sentAt ?? null),
  wideColumn(timeColumn("openedAt", "OPENED", ({ openedAt }) => openedAt ?? null)),
  timeColumn("redeemedAt", "REDEEMED", ({ redeemedAt }) => redeemedAt ?? null),
  wideColumn(textColumn("email", "EMAIL", ({ email }) => email ?? null)),
  wideColumn(textColumn("keyStatus", "KEY STATUS", ({ keyStatus }) => keyStatus)),
  wideColumn(textColumn("keyId", "KEY", ({ keyId }) => keyId)),
  wideColumn(textColumn("inviteId", "INVITE", ({ inviteId }) => inviteId ?? null)),
  wideColumn(textColumn("batch.id", "BATCH ID", ({ batch }) => batch.id)),
];
