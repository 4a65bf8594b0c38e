/** server status: lists the servers running on this machine. */
import type { TableColumn } from "../../../render/columns.ts";
import { timeColumn } from "../../../render/tables/columns.ts";
import { command, createTable } from "../../command.ts";
import { formatAge } from "./pruning-flags.ts";
import { runningServers, type ServerEntry } from "./registry.ts";

/** A column of pruning ages, which only --wide shows. */
function ageColumn(key: "keepEventsMs" | "keepSessionsMs", header: string): TableColumn<ServerEntry> {
  return {
    key,
    header,
    value: (entry) => entry[key] ?? null,
    format: (ms) => formatAge(Number(ms)),
    wide: true,
  };
}

const columns: readonly TableColumn<ServerEntry>[] = [
  { key: "url", header: "URL", value: ({ url }) => url, style: "strong" },
  { key: "database", header: "DATABASE", value: ({ database }) => database, shrink: 1 },
  { key: "pid", header: "PID", value: ({ pid }) => pid, format: (pid) => String(pid) },
  timeColumn("startedAt", "STARTED", ({ startedAt }) => startedAt),
  ageColumn("keepEventsMs", "KEEP EVENTS"),
  ageColumn("keepSessionsMs", "KEEP SESSIONS"),
];

export const statusCommand = command({
  path: "server status",
  summary: "List the servers running on this machine",
  examples: ["server status"],
  async run({ io }) {
    const servers = (await runningServers(io)).map(({ isRedacted: _, ...server }) => server);
    return {
      data: { servers },
      table: createTable(
        servers,
        columns,
        "No servers are running. Run `playtest server start` to start one.",
      ),
    };
  },
});
