/** server status: lists the servers running on this machine. */
import { defineColumns } from "../../../render/tables/columns.ts";
import { command, createTable } from "../../command.ts";
import { formatAge } from "./pruning-flags.ts";
import { runningServers, type ServerEntry } from "./registry.ts";

const columns = defineColumns<ServerEntry>({
  url: { header: "URL", tone: "strong" },
  database: { header: "DATABASE", shrink: 1 },
  pid: { header: "PID", format: ({ pid }) => String(pid) },
  startedAt: { header: "STARTED", kind: "time" },
  keepEventsMs: {
    header: "KEEP EVENTS",
    format: ({ keepEventsMs }) => formatAge(Number(keepEventsMs)),
    wide: true,
  },
  keepSessionsMs: {
    header: "KEEP SESSIONS",
    format: ({ keepSessionsMs }) => formatAge(Number(keepSessionsMs)),
    wide: true,
  },
});

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
