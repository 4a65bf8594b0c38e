/** handles: one row per tester handle, in its current state. */
import type { TesterHandle } from "../../contract/handles.ts";
import { int64, string, timestamp } from "../column.ts";
import { defineDataset, snapshot } from "./dataset.ts";

interface HandleExportRow {
  readonly game: string;
  readonly handle: TesterHandle;
}

export const handles = defineDataset<HandleExportRow>({
  name: "handles",
  summary: "One row per tester handle, most recently seen first",
  hasEnvironments: false,
  columns: [
    string("game", "Slug of the game", ({ game }) => game),
    string("id", "Handle id", ({ handle }) => handle.id),
    string("handle", "Name of the tester", ({ handle }) => handle.handle),
    string("key_id", "Playtest key that the handle redeemed", ({ handle }) => handle.key_id),
    string("device_id", "Device that the handle is linked to", ({ handle }) => handle.device_id),
    timestamp("claimed_at", "When the handle was linked to the device", ({ handle }) => handle.claimed_at),
    int64("session_count", "Number of sessions", ({ handle }) => handle.session_count),
    int64("total_play_time_ms", "Play time", ({ handle }) => handle.total_play_time_ms, "ms"),
    timestamp("last_seen_at", "When the last session started", ({ handle }) => handle.last_seen_at),
    int64("distinct_countries", "Number of countries", ({ handle }) => handle.distinct_countries),
    timestamp("created_at", "When the handle was created", ({ handle }) => handle.created_at),
  ],
  extent: null,
  counter: null,
  requests: () => 1,
  parts: snapshot(async function* (reader, { game }) {
    const { handles: items } = await reader.send(() => reader.client.listHandles({ game: game.id }));
    yield items.map((handle) => ({ game: game.slug, handle }));
  }),
});
