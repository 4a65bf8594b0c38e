/** The `admin batches` commands that create a batch and invite testers to it. */
import { batches, testerInvites } from "../../../contract/batches.ts";
import { renderDetails } from "../../../render/details.ts";
import { toColumns } from "../../../render/tables/columns.ts";
import type { PlaytestBatchRow } from "../../../server/db/schema.ts";
import { createBatch, inviteTester, openInvite } from "../../../server/playtests/batches.ts";
import {
  findBatch,
  findInvite,
  readBatchDetail,
  toTesterInvite,
} from "../../../server/playtests/playtest-queries.ts";
import { formatName } from "../../../shared/similar-names.ts";
import { command, createTable } from "../../command.ts";
import { fail } from "../../errors.ts";
import { futureTime, text, toggle } from "../../flags.ts";
import { type AdminContext, adminFlags, administer, failNotFound } from "./administer.ts";
import { readText } from "./text-file.ts";

export const batchArgument = { name: "<batch>", describe: "batch id" };

/** A batch of the game. Throws `not_found`. */
export async function requireBatch(
  { db, game, target, wholeId }: AdminContext,
  text = "",
): Promise<PlaytestBatchRow> {
  const { id: gameId, slug } = await game();
  const id = await wholeId("ptb", text);
  const row = await findBatch(db, gameId, id);
  if (row) return target(row);
  throw failNotFound(
    `batch ${formatName(id)} in ${formatName(slug)}`,
    "`playtest batches list` to list batches",
  );
}

export const unknownInvite = (id: string) =>
  failNotFound(
    `invite ${formatName(id)} in this batch`,
    "`playtest batches invites <batch>` to list invites",
  );

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
    const batch = await administer(context, flags, async ({ db, service, target, game }) => {
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
      return await readBatchDetail(db, target(row));
    });
    return { data: { batch }, table: createTable([batch], toColumns(batches), "") };
  },
});

export const inviteCommand = command({
  path: "admin batches invite",
  summary: "Invite a tester and reserve the next playtest key of the batch",
  details:
    "This command does not send email. It shows the redemption token once. Store the token with the invite id, and put " +
    "it in the link that you send: your claim page uses it to find the invite. The API cannot redeem keys, so when the " +
    "tester claims the key, run `playtest admin batches redeem <batch> --invite <id>`.",
  args: [batchArgument, { name: "<email>", describe: "email address of the tester" }],
  flags: {
    ...adminFlags,
    note: text("--note <text>", "personal note to the tester; only stored, because no email is sent"),
  },
  examples: ['admin batches invite ptb_0123 wren@example.com --note "Your key for Friday"'],
  async run(context, { args, flags }) {
    const email = args[1] ?? "";
    if (!/^[^\s@]+@[^\s@]+$/.test(email))
      throw fail("usage", { message: `${JSON.stringify(email)} is not an email address` });
    const result = await administer(context, flags, async (admin) =>
      inviteTester(admin.db, admin.service, await requireBatch(admin, args[0]), email, flags.note ?? null),
    );
    const invite = toTesterInvite(result.invite);
    return {
      data: { invite, keyId: result.keyId, redemptionToken: result.token },
      view: (options) =>
        `${renderDetails(
          [
            ["Invite", invite.id, "strong"],
            ["Email", invite.email],
            ["Reserved key id", result.keyId],
            ["Redemption token", result.token],
            ["Personal note", invite.personal_note ?? null],
          ],
          options,
        )}\nThe redemption token is shown only once.\n`,
    };
  },
});

export const openInviteCommand = command({
  path: "admin batches open-invite",
  summary: "Record that an invite was opened; only the first time is stored",
  args: [batchArgument, { name: "<invite>", describe: "invite id" }],
  flags: adminFlags,
  examples: ["admin batches open-invite ptb_0123 tvi_0123 --game ember"],
  async run(context, { args, flags }) {
    const invite = await administer(context, flags, async (admin) => {
      const batch = await requireBatch(admin, args[0]);
      const row = await findInvite(admin.db, batch, "id", args[1] ?? "");
      if (!row) throw unknownInvite(args[1] ?? "");
      return toTesterInvite(await openInvite(admin.db, row, admin.service.now()));
    });
    return { data: { invite }, table: createTable([invite], toColumns(testerInvites), "") };
  },
});
