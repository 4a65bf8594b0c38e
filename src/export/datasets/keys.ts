/** keys: a row a playtest key, as it is now; never the key itself. */
import type { PlaytestKey } from "../../contract/batches.ts";
import { string, timestamp } from "../column.ts";
import { defineDataset, snapshot } from "./dataset.ts";

interface KeyExportRow {
  readonly game: string;
  readonly batchId: string;
  readonly key: PlaytestKey;
}

/** A game rarely has more batches than this: what a plan reckons with. */
const TYPICAL_BATCHES = 4;

export const keys = defineDataset<KeyExportRow>({
  name: "keys",
  summary: "A row a playtest key, by batch, the oldest first; the keys themselves are never shown",
  hasEnvironments: false,
  columns: [
    string("game", "Slug of the game", ({ game }) => game),
    string("batch_id", "Batch id", ({ batchId }) => batchId),
    string("id", "Key id", ({ key }) => key.id),
    string("status", "available, reserved, redeemed, revoked or expired", ({ key }) => key.status),
    timestamp("redeemed_at", "When it was redeemed", ({ key }) => key.redeemed_at),
    string("redeemed_by_email", "Address it was redeemed by", ({ key }) => key.redeemed_by_email),
    string("redeemed_by_handle", "Handle it was redeemed by", ({ key }) => key.redeemed_by_handle),
    string("redemption_country", "ISO 3166 alpha-2", ({ key }) => key.redemption_country),
    string("redemption_user_agent", "Browser", ({ key }) => key.redemption_user_agent),
    string("tester_invite_id", "Invite it went out with", ({ key }) => key.tester_invite_id),
    timestamp("created_at", "When it was made", ({ key }) => key.created_at),
  ],
  extent: null,
  requests: () => 1 + TYPICAL_BATCHES,
  parts: snapshot(async function* (reader, { game }) {
    const { batches } = await reader.send(() => reader.client.listBatches({ game: game.id }));
    for (const { id: batchId } of batches) {
      const { keys: found } = await reader.send(() =>
        reader.client.listBatchKeys({ game: game.id, batchId }),
      );
      yield found.map((key) => ({ game: game.slug, batchId, key }));
    }
  }),
});
