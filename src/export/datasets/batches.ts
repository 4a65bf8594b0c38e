/** batches: one row per playtest batch, in its current state. */
import type { Batch } from "../../contract/batches.ts";
import { int64, string, timestamp } from "../column.ts";
import { defineDataset, snapshot } from "./dataset.ts";

interface BatchExportRow {
  readonly game: string;
  readonly batch: Batch;
}

export const batches = defineDataset<BatchExportRow>({
  name: "batches",
  summary: "One row per playtest batch, newest first",
  hasEnvironments: false,
  columns: [
    string("game", "Slug of the game", ({ game }) => game),
    string("id", "Batch id", ({ batch }) => batch.id),
    string("name", "Name of the batch", ({ batch }) => batch.name),
    string(
      "distribution_target",
      "How the game is distributed to testers",
      ({ batch }) => batch.distribution_target,
    ),
    string("fulfillment_source", "Where the keys come from", ({ batch }) => batch.fulfillment_source),
    string("redemption_mode", "How keys are redeemed", ({ batch }) => batch.redemption_mode),
    string("identity_mode", "How testers identify themselves", ({ batch }) => batch.identity_mode),
    int64("key_count", "Number of keys", ({ batch }) => batch.key_count),
    int64("redeemed_count", "Number of redeemed keys", ({ batch }) => batch.redeemed_count),
    int64("revoked_count", "Number of revoked keys", ({ batch }) => batch.revoked_count),
    timestamp("expires_at", "When the batch expires", ({ batch }) => batch.expires_at),
    timestamp("created_at", "When the batch was created", ({ batch }) => batch.created_at),
  ],
  extent: null,
  counter: null,
  requests: () => 1,
  parts: snapshot(async function* (reader, { game }) {
    const { batches: items } = await reader.send(() => reader.client.listBatches({ game: game.id }));
    yield items.map((batch) => ({ game: game.slug, batch }));
  }),
});
