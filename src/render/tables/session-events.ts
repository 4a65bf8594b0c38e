/** Table columns of the events of a session. */
import type { SessionEventItem, SessionEventPage } from "../../contract/session-events.ts";
import { describeData, readEventRoom } from "../../shared/event-data.ts";
import { EVENTS } from "../../shared/event-names.ts";
import type { TableColumn } from "../columns.ts";
import { isoTime } from "../time.ts";
import { defineColumns } from "./columns.ts";
import { formatOffset } from "./event-text.ts";

/** An event, without whether an insight refers to it. */
type UncitedEvent = Omit<SessionEventItem, "cited">;

export const evidenceEventColumns = defineColumns<UncitedEvent>({
  offsetMs: { header: "TIME", format: ({ offsetMs }) => formatOffset(Number(offsetMs)), align: "right" },
  name: { header: "EVENT", shrink: 2, minWidth: 16 },
  "data.room": { header: "ROOM", value: ({ data }) => readEventRoom(data), shrink: 3 },
  data: { header: "DATA", value: ({ data }) => describeData(data), shrink: 1 },
  timestamp: { header: "TIMESTAMP", format: ({ timestamp }) => String(timestamp), wide: true },
  id: { header: "ID", wide: true },
});

const citedStyle = ({ cited }: SessionEventItem) => (cited ? ("strong" as const) : null);

/** Columns of the events of a session. Events that an insight refers to are marked. */
export const eventColumns: readonly TableColumn<SessionEventItem>[] = [
  ...defineColumns<SessionEventItem>({
    cited: { header: "", value: ({ cited }) => (cited ? "*" : ""), tone: "strong" },
  }),
  ...evidenceEventColumns.map(
    (column): TableColumn<SessionEventItem> =>
      column.key === "name" ? { ...column, style: citedStyle } : { ...column },
  ),
];

/** Replaces each run of positions in one room by its first event, with the number of positions as its data. */
export function collapsePositions(items: readonly SessionEventItem[]): SessionEventItem[] {
  const rows: SessionEventItem[] = [];
  for (let start = 0; start < items.length; ) {
    const first = items[start];
    if (!first) break;
    let end = start + 1;
    while (isPosition(first) && continuesRun(first, items[end])) end += 1;
    rows.push(end - start === 1 ? first : summarizeRun(first, items.slice(start, end)));
    start = end;
  }
  return rows;
}

const isPosition = ({ name, cited }: SessionEventItem) => name === EVENTS.position && !cited;

const continuesRun = (first: SessionEventItem, next: SessionEventItem | undefined) =>
  next !== undefined && isPosition(next) && readEventRoom(next.data) === readEventRoom(first.data);

function summarizeRun(first: SessionEventItem, run: readonly SessionEventItem[]): SessionEventItem {
  const room = readEventRoom(first.data);
  const last = run.at(-1)?.data;
  const to =
    last && "x" in last && "y" in last
      ? { to: `(${formatCoordinate(last.x)}, ${formatCoordinate(last.y)})` }
      : {};
  return { ...first, data: { ...(room === null ? {} : { room }), positions: run.length, ...to } };
}

const formatCoordinate = (value: unknown) =>
  typeof value === "number" ? String(Number(value.toPrecision(7))) : String(value);

/** Why a session has no events: pruning removed them. */
export function describePruned({ at, events }: NonNullable<SessionEventPage["pruned"]>, tz: string): string {
  const removed = events === 1 ? "the 1 event" : `the ${events} events`;
  return `Pruning removed ${removed} of this session on ${isoTime(at, tz).split("T")[0]}.`;
}
