/** admin batches create: a batch that keys are added to. */

import { batches } from "../../../../contract/batches.ts";
import { toColumns } from "../../../../render/tables/resource-columns.ts";
import { createBatch } from "../../../../server/playtests/batches.ts";
import { readBatchDetail } from "../../../../server/playtests/playtest-queries.ts";
import { command, createTable } from "../../../command.ts";
import { fail } from "../../../errors.ts";
import { futureTime, text, toggle } from "../../../flags.ts";
import { adminFlags, administer } from "../administer.ts";
import { readText } from "../text-file.ts";

export const createBatchCommand = command({
  path: "admin batches create",
  summary: "Create a playtest batch",
  details:
    "--target, --fulfillment, --redemption and --identity can be any text. They are shown by `playtest batches " +
    "get`; the service does not interpret them.",
  args: [{ name: "<name>", describe: "batch name" }],
  flags: {
    ...adminFlags,
    target: text(
      "--target <target>",
      "how the game is distributed to testers, such as steam, itch or direct (default: steam)",
    ),
    fulfillment: text(
      "--fulfillment <source>",
      "where the keys come from, such as uploaded, generated or steam (default: uploaded)",
    ),
    redemption: text(
      "--redemption <mode>",
      "how keys are redeemed, such as link or claim_page (default: link)",
    ),
    identity: text(
      "--identity <mode>",
      "how testers are identified, such as email or handle (default: email)",
    ),
    expires: futureTime(
      "--expires <time>",
      "when unredeemed keys expire: a date such as 2026-12-31, or a time from now such as 7d (default: never)",
    ),
    instructions: text(
      "--instructions <file>",
      "Markdown file with instructions for testers, or - for standard input",
    ),
    share: toggle("--share", "create a share token for your public page; `playtest batches get` shows it"),
  },
  examples: [
    'admin batches create "Closed alpha" --game ember --expires 2026-12-31',
    'admin batches create "Discord" --game ember --share --instructions welcome.md',
  ],
  async run(context, { args, flags }) {
    const { expires = null } = flags;
    if (expires !== null && expires <= (flags.now ?? context.io.now())) {
      throw fail("usage", {
        message: `--expires ${new Date(expires).toISOString()} is in the past, so testers could not redeem any key`,
        hint: "Use a later date, or a time from now such as 7d. Without --expires, keys do not expire.",
      });
    }
    const instructions =
      flags.instructions === undefined ? null : await readText(context.io, flags.instructions);
    const batch = await administer(context, flags, async ({ db, service, note, game }) => {
      const row = await createBatch(db, service, (await game()).id, {
        name: args[0] ?? "",
        distribution_target: flags.target ?? "steam",
        fulfillment_source: flags.fulfillment ?? "uploaded",
        redemption_mode: flags.redemption ?? "link",
        identity_mode: flags.identity ?? "email",
        instructions,
        expires_at: expires,
        shared: flags.share,
      });
      note.target = row.id;
      return await readBatchDetail(db, row);
    });
    return { data: { batch }, table: createTable([batch], toColumns(batches), "") };
  },
});
