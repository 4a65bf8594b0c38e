/** Columns of the rooms of a drop-off. */
import type { DropoffRoom } from "../../contract/dropoff.ts";
import { formatShareInterval } from "../numbers.ts";
import { defineColumns } from "./columns.ts";

export const dropoffColumns = defineColumns<DropoffRoom>({
  room: { header: "ROOM", shrink: 1 },
  entered: { header: "ENTERED" },
  completed: { header: "COMPLETED" },
  quit: { header: "QUIT" },
  quitShare: { header: "SHARE", kind: "share" },
  interval: { header: "INTERVAL", value: ({ interval }) => formatShareInterval(interval), align: "right" },
  medianActiveSec: { header: "ACTIVE TIME", kind: "duration" },
});
