/** The details of a playtest batch. */
import type { getBatch } from "../../contract/batches.ts";
import type { Output } from "../../contract/define.ts";
import type { Detail } from "../details.ts";
import type { RenderOptions } from "../options.ts";
import { formatTime } from "../time.ts";

/** A value such as `claim_page` as people read it. */
const words = (value: string) => value.replaceAll("_", " ");

/** The labels with their values, the name first. */
export function batchDetails({ game, batch }: Output<typeof getBatch>, options: RenderOptions): Detail[] {
  return [
    ["Batch", batch.name, "strong"],
    ["ID", batch.id],
    ["Game", game.name],
    ["Playtest keys", batch.key_count],
    ["Redeemed", batch.redeemed_count],
    ["Revoked", batch.revoked_count],
    ["Distribution", words(batch.distribution_target)],
    ["Key source", words(batch.fulfillment_source)],
    ["Redemption", words(batch.redemption_mode)],
    ["Testers identified by", words(batch.identity_mode)],
    ["Share token", batch.share_token ?? null],
    ["Expires", batch.expires_at == null ? null : formatTime(batch.expires_at, options)],
    ["Created", formatTime(batch.created_at, options)],
    ["Instructions", batch.instructions ?? null],
  ];
}
