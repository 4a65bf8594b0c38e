/** handles: a row a tester handle, as it is now. */
import type { TesterHandle } from "../../contract/handles.ts";
import { int64, string, timestamp } from "../column.ts";
import { defineDataset, snapshot } from "./dataset.ts";

interface HandleExportRow {
  readonly game: string;
  readonly handle: TesterHandle;
}

export const handles = defineDataset<HandleExportRow>({
  name: "handles",
  summary: "A row a tester handle, the last seen first",
  hasEnvironments: false,
  columns: [
    string("game", "Slug of the game", ({ game }) => game),
    string("id", "Handle id", ({ handle }) => handle.id),
    string("handle", "The name a tester plays under", ({ handle }) => handle.handle),
    string("key_id", "Key it was redeemed with", ({ handle }) => handle.key_id),
    string("device_id", "Device it is linked to", ({ handle }) => handle.device_id),
    timestamp("claimed_at", "When it was linked", ({ handle }) => handle.claimed_at),
    int64("session_count", "Sessions", ({ handle }) => handle.session_count),
    int64("total_play_time_ms", "Time played", ({ handle }) => handle.total_play_time_ms, "ms"),
    timestamp("last_seen_at", "Last session", ({ handle }) => handle.last_seen_at),
    int64("distinct_countries", "Countries it was played from", ({ handle }) => handle.distinct_countries),
    timestamp("created_at", "When it was made", ({ handle }) => handle.created_at),
  ],
  extent: null,
  requests: () => 1,
  parts: snapshot(async function* (reader, { game }) {
    const { handles: found } = await reader.send(() => reader.client.listHandles({ game: game.id }));
    yield found.map((handle) => ({ game: game.slug, handle }));
  }),
});
