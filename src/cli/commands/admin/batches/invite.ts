/** admin batches invite: reserves a key for one tester. */
import { renderDetails } from "../../../../render/details.ts";
import { inviteTester } from "../../../../server/playtests/batches.ts";
import { toTesterInvite } from "../../../../server/playtests/playtest-queries.ts";
import { command } from "../../../command.ts";
import { fail } from "../../../errors.ts";
import { text } from "../../../flags.ts";
import { adminFlags, administer } from "../administer.ts";
import { batchArgument, requireBatch } from "./batch.ts";

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
