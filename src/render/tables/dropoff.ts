/** Columns of the rooms of a drop-off. */
import type { DropoffRoom } from "../../contract/dropoff.ts";
import type { TableColumn } from "../columns.ts";
import { formatDuration } from "../time.ts";
import { textColumn, wideColumn } from "./columns.ts";
import { formatShareInterval, formatSharePercent } from "./share-text.ts";

/** The columns of the rooms. */
export const dropoffColumns: readonly TableColumn<DropoffRoom>[] = [
  {
    ...textColumn<DropoffRoom>("room", "ROOM", ({ room }) => room ?? "(no room)", 1),
    style: ({ standsOut }) => (standsOut ? "bad" : null),
  },
  textColumn("sessionsEntered", "ENTERED", ({ sessionsEntered }) => sessionsEntered),
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
  textColumn("testersNotBack", "NOT BACK", ({ testersNotBack }) => testersNotBack),
  {
    key: "medianActiveSec",
    header: "TIME IN",
    align: "right",
    value: ({ medianActiveSec }) => medianActiveSec ?? null,
    format: (seconds) => formatDuration(Number(seconds)),
  },
  textColumn("lastEvent", "LAST EVENT", ({ lastEvents }) => lastEvents[0]?.name ?? null, 2),
  wideColumn(textColumn("completed", "COMPLETED", ({ completed }) => completed)),
  wideColumn(textColumn("crashed", "CRASHED", ({ crashed }) => crashed)),
  wideColumn(textColumn("testersQuit", "TESTERS QUIT", ({ testersQuit }) => testersQuit)),
  wideColumn({
    key: "test.adjustedP",
    header: "P-VALUE",
    align: "right",
    value: ({ test }) => test?.adjustedP ?? null,
    format: (p) => Number(p).toPrecision(2),
  }),
];
