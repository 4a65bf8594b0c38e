/** batches: a row a playtest batch, as it is now. */
import type { Batch } from "../../contract/batches.ts";
import { int64, string, timestamp } from "../column.ts";
import { defineDataset, snapshot } from "./dataset.ts";

interface BatchExportRow {
  readonly game: string;
  readonly batch: Batch;
}

export const batches = defineDataset<BatchExportRow>({
  name: "batches",
  summary: "A row a playtest batch, the newest first",
  hasEnvironments: false,
  columns: [
    string("game", "Slug of the game", ({ game }) => game),
    string("id", "Batch id", ({ batch }) => batch.id),
    string("name", "Name", ({ batch }) => batch.name),
    string("distribution_target", "Whom it is for", ({ batch }) => batch.distribution_target),
    string("fulfillment_source", "Where its keys come from", ({ batch }) => batch.fulfillment_source),
    string("redemption_mode", "How keys are redeemed", ({ batch }) => batch.redemption_mode),
    string("identity_mode", "What testers tell of themselves", ({ batch }) => batch.identity_mode),
    int64("key_count", "Keys", ({ batch }) => batch.key_count),
    int64("redeemed_count", "Keys redeemed", ({ batch }) => batch.redeemed_count),
    int64("revoked_count", "Keys revoked", ({ batch }) => batch.revoked_count),
    timestamp("expires_at", "When it expires", ({ batch }) => batch.expires_at),
    timestamp("created_at", "When it was made", ({ batch }) => batch.created_at),
  ],
  extent: null,
  requests: () => 1,
  parts: snapshot(async function* (reader, { game }) {
    const { batches: found } = await reader.send(() => reader.client.listBatches({ game: game.id }));
    yield found.map((batch) => ({ game: game.slug, batch }));
  }),
});
