/** Table columns of the events of a session. */
import type { SessionEventItem } from "../../../contract/session-events.ts";
import type { TableColumn } from "../../../render/columns.ts";
import { describeData, formatOffset, readEventRoom } from "../event-text.ts";

export const eventColumns: readonly TableColumn<SessionEventItem>[] = [
  { key: "cited", header: "", value: ({ cited }) => (cited ? "*" : ""), style: "strong" },
  {
    key: "offsetMs",
    header: "TIME",
    value: ({ offsetMs }) => offsetMs,
    align: "right",
    format: (ms) => formatOffset(Number(ms)),
  },
  {
    key: "name",
    header: "EVENT",
    value: ({ name }) => name,
    shrink: 2,
    style: ({ cited }) => (cited ? "strong" : null),
  },
  { key: "data.room", header: "ROOM", value: ({ data }) => readEventRoom(data), shrink: 3 },
  { key: "data", header: "DATA", value: ({ data }) => describeData(data), shrink: 1 },
  { key: "timestamp", header: "TIMESTAMP", value: ({ timestamp }) => timestamp, format: String, wide: true },
  { key: "id", header: "ID", value: ({ id }) => id, wide: true },
];
