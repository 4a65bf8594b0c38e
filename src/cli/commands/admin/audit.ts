/** admin audit list: lists the administrative changes of the local database. */
import { defineColumns } from "../../../render/tables/columns.ts";
import { type AuditEntry, toAuditEntry } from "../../../server/audit/audit.ts";
import { findChanges } from "../../../server/audit/audit-queries.ts";
import { readKeyedHash } from "../../../server/db/keyed-hash.ts";
import { command } from "../../command.ts";
import { text, time } from "../../flags.ts";
import { listFlags, listResult } from "../lists.ts";
import { databaseFlags, existingDatabaseFlag } from "../server/local.ts";
import { administer } from "./administer.ts";

const columns = defineColumns<AuditEntry>({
  at: { header: "TIME", kind: "time" },
  action: { header: "ACTION", tone: "strong" },
  target: { header: "TARGET", shrink: 2 },
  detail: { header: "DETAIL", value: ({ detail }) => formatDetail(detail), shrink: 1 },
  actor: { header: "ACTOR" },
  accountId: { header: "ACCOUNT", wide: true },
  id: { header: "ID", wide: true },
});

const formatDetail = (detail: AuditEntry["detail"]) =>
  Object.entries(detail)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ") || null;

export const listAuditCommand = command({
  path: "admin audit list",
  summary: "List administrative changes, newest first",
  details:
    "Every `admin` and `server` command that changes the database is recorded, with the account, the time and the id of " +
    "what it changed. The audit contains no keys and no texts of testers. Sessions, testers and devices are shown as hashes " +
    "that only this database can compute: pass an id to --target to find them.",
  flags: {
    ...databaseFlags,
    database: existingDatabaseFlag,
    since: time("--since <time>", "changes made at or after"),
    action: text("--action <action>", "command, such as keys.revoke, or a group of commands, such as keys"),
    target: text("--target <id>", "id of what was changed"),
    ...listFlags,
  },
  examples: ["admin audit list --since 30d", "admin audit list --action keys --json"],
  async run(context, { flags }) {
    const { since, action, target, limit: _limit, offset: _offset, all: _all, ...database } = flags;
    const fetchPage = (range: { limit: number; offset: number }) =>
      administer(context, database, async ({ db }) => {
        const hash = target === undefined ? null : await readKeyedHash(db, target);
        const targets = target === undefined ? undefined : [target, ...(hash === null ? [] : [hash])];
        const { rows, total } = await findChanges(db, { since, action, targets }, range);
        return { items: rows.map(toAuditEntry), total, hasMore: range.offset + rows.length < total };
      });
    return await listResult(context, flags, fetchPage, { columns, empty: "No changes match." });
  },
});
