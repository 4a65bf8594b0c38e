/** The columns of tester handles. */
import { SHARED_KEY_COUNTRIES, type TesterHandle } from "../../contract/handles.ts";
import type { TableColumn } from "../columns.ts";
import { formatDuration } from "../time.ts";
import { textColumn, timeColumn, wideColumn } from "./columns.ts";

/** Whether the handle was seen in enough countries that its key is probably shared. */
export function looksShared(handle: TesterHandle): boolean {
  return handle.distinct_countries >= SHARED_KEY_COUNTRIES;
}

export const handleColumns: readonly TableColumn<TesterHandle>[] = [
  { key: "handle", header: "HANDLE", value: (handle) => handle.handle, style: "strong", shrink: 1 },
  textColumn("session_count", "SESSIONS", (handle) => handle.session_count),
  {
    key: "total_play_time_ms",
    header: "PLAY TIME",
    value: (handle) => handle.total_play_time_ms,
    align: "right",
    format: (ms) => formatDuration(Number(ms) / 1000),
  },
  timeColumn("last_seen_at", "LAST SEEN", (handle) => handle.last_seen_at ?? null),
  {
    key: "distinct_countries",
    header: "COUNTRIES",
    value: (handle) => handle.distinct_countries,
    align: "right",
    format: (countries) =>
      Number(countries) >= SHARED_KEY_COUNTRIES ? `${countries} (shared key?)` : String(countries),
    style: (handle) => (looksShared(handle) ? "bad" : null),
  },
  textColumn("device_id", "DEVICE", (handle) => handle.device_id ?? null, 2),
  wideColumn(textColumn("id", "ID", (handle) => handle.id)),
  wideColumn(textColumn("key_id", "PLAYTEST KEY ID", (handle) => handle.key_id ?? null)),
  wideColumn(timeColumn("claimed_at", "CLAIMED", (handle) => handle.claimed_at ?? null)),
  wideColumn(timeColumn("created_at", "CREATED", (handle) => handle.created_at)),
];
