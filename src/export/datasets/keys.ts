/** keys: one row per playtest key, in its current state, without the key value. */
import type { PlaytestKey } from "../../contract/batches.ts";
import { string, timestamp } from "../column.ts";
import { defineDataset, snapshot } from "./dataset.ts";

interface KeyExportRow {
  readonly game: string;
  readonly batchId: string;
  readonly key: PlaytestKey;
}

/** The number of batches that estimates assume. */
const TYPICAL_BATCHES = 4;

export const keys = defineDataset<KeyExportRow>({
  name: "keys",
  summary: "One row per playtest key, by batch, oldest first. Key values are never exported",
  hasEnvironments: false,
  columns: [
    string("game", "Slug of the game", ({ game }) => game),
    string("batch_id", "Batch id", ({ batchId }) => batchId),
    string("id", "Key id", ({ key }) => key.id),
    string("status", "available, reserved, redeemed, revoked or expired", ({ key }) => key.status),
    timestamp("redeemed_at", "When the key was redeemed", ({ key }) => key.redeemed_at),
    string("redeemed_by_email", "Email address that redeemed the key", ({ key }) => key.redeemed_by_email),
    string("redeemed_by_handle", "Tester handle that redeemed the key", ({ key }) => key.redeemed_by_handle),
    string(
      "redemption_country",
      "Country of the redemption (ISO 3166 alpha-2)",
      ({ key }) => key.redemption_country,
    ),
    string(
      "redemption_user_agent",
      "User agent of the browser that redeemed the key",
      ({ key }) => key.redemption_user_agent,
    ),
    string("tester_invite_id", "Invite that the key was reserved for", ({ key }) => key.tester_invite_id),
    timestamp("created_at", "When the key was created", ({ key }) => key.created_at),
  ],
  extent: null,
  counter: null,
  requests: () => 1 + TYPICAL_BATCHES,
  parts: snapshot(async function* (reader, { game }) {
    const { batches } = await reader.send(() => reader.client.listBatches({ game: game.id }));
    for (const { id: batchId } of batches) {
      const { keys: items } = await reader.send(() =>
        reader.client.listBatchKeys({ game: game.id, batchId }),
      );
      yield items.map((key) => ({ game: game.slug, batchId, key }));
    }
  }),
});
