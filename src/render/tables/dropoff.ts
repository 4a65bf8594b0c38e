/** Columns of the rooms of a drop-off. */
import type { DropoffRoom } from "../../contract/dropoff.ts";
import type { TableColumn } from "../columns.ts";
import { formatDuration } from "../time.ts";
import { textColumn } from "./columns.ts";
import { formatShareInterval, formatSharePercent } from "./share-text.ts";

export const dropoffColumns: readonly TableColumn<DropoffRoom>[] = [
  textColumn("room", "ROOM", ({ room }) => room, 1),
  textColumn("entered", "ENTERED", ({ entered }) => entered),
  textColumn("completed", "COMPLETED", ({ completed }) => completed),
  textColumn("quit", "QUIT", ({ quit }) => quit),
  {
    key: "quitShare",
    header: "SHARE",
    align: "right",
    value: ({ quitShare }) => quitShare,
    format: (share) => formatSharePercent(Number(share)),
  },
  {
    key: "interval",
    header: "INTERVAL",
    align: "right",
    value: ({ interval }) => formatShareInterval(interval),
  },
  {
    key: "medianActiveSec",
    header: "ACTIVE TIME",
    align: "right",
    value: ({ medianActiveSec }) => medianActiveSec ?? null,
    format: (seconds) => formatDuration(Number(seconds)),
  },
];
