/** Table columns of the events of a session. */
import type { SessionEventItem } from "../../contract/session-events.ts";
import type { TableColumn } from "../columns.ts";
import { describeData, formatOffset, readEventRoom } from "./event-text.ts";

/** An event, without whether an insight refers to it. */
type UncitedEvent = Omit<SessionEventItem, "cited">;

/** Columns of events that are all evidence of one insight. */
export const evidenceEventColumns: readonly TableColumn<UncitedEvent>[] = [
  {
    key: "offsetMs",
    header: "TIME",
    value: ({ offsetMs }) => offsetMs,
    align: "right",
    format: (ms) => formatOffset(Number(ms)),
  },
  { key: "name", header: "EVENT", value: ({ name }) => name, shrink: 2, minWidth: 16 },
  { key: "data.room", header: "ROOM", value: ({ data }) => readEventRoom(data), shrink: 3 },
  { key: "data", header: "DATA", value: ({ data }) => describeData(data), shrink: 1 },
  { key: "timestamp", header: "TIMESTAMP", value: ({ timestamp }) => timestamp, format: String, wide: true },
  { key: "id", header: "ID", value: ({ id }) => id, wide: true },
];

const citedStyle = ({ cited }: SessionEventItem) => (cited ? ("strong" as const) : null);

/** Columns of the events of a session. Events that an insight refers to are marked. */
export const eventColumns: readonly TableColumn<SessionEventItem>[] = [
  { key: "cited", header: "", value: ({ cited }) => (cited ? "*" : ""), style: "strong" },
  ...evidenceEventColumns.map(
    (column): TableColumn<SessionEventItem> =>
      column.key === "name" ? { ...column, style: citedStyle } : { ...column },
  ),
];
