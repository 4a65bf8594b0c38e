/** How tester handles look in lists. */
import { SHARED_KEY_COUNTRIES, type TesterHandle } from "../../../contract/handles.ts";
import type { TableColumn } from "../../../render/columns.ts";
import { formatDuration } from "../../../render/time.ts";
import { textColumn, timeColumn, wideColumn } from "../columns.ts";

/** Whether the handle was seen in so many countries that its key is likely shared. */
export function looksShared(handle: TesterHandle): boolean {
  return handle.distinct_countries >= SHARED_KEY_COUNTRIES;
}

export const handleColumns: readonly TableColumn<TesterHandle>[] = [
  { key: "handle", header: "HANDLE", value: (one) => one.handle, style: "strong", shrink: 1 },
  textColumn("session_count", "SESSIONS", (one) => one.session_count),
  {
    key: "total_play_time_ms",
    header: "PLAYED",
    value: (one) => one.total_play_time_ms,
    align: "right",
    format: (ms) => formatDuration(Number(ms) / 1000),
  },
  timeColumn("last_seen_at", "LAST SEEN", (one) => one.last_seen_at ?? null),
  {
    key: "distinct_countries",
    header: "COUNTRIES",
    value: (one) => one.distinct_countries,
    align: "right",
    format: (countries) =>
      Number(countries) >= SHARED_KEY_COUNTRIES ? `${countries} (shared key?)` : String(countries),
    style: (one) => (looksShared(one) ? "bad" : null),
  },
  textColumn("device_id", "DEVICE", (one) => one.device_id ?? null, 2),
  wideColumn(textColumn("id", "ID", (one) => one.id)),
  wideColumn(textColumn("key_id", "KEY", (one) => one.key_id ?? null)),
  wideColumn(timeColumn("claimed_at", "CLAIMED", (one) => one.claimed_at ?? null)),
  wideColumn(timeColumn("created_at", "CREATED", (one) => one.created_at)),
];
