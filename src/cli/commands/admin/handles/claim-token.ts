/** admin handles claim-token: creates a token that links a tester's device to a handle. */

import { renderDetails } from "../../../../render/details.ts";
import { keyedHash } from "../../../../server/db/keyed-hash.ts";
import { findHandle } from "../../../../server/ids/tester-queries.ts";
import { issueClaimToken } from "../../../../server/testers/handles.ts";
import { command } from "../../../command.ts";
import { fail } from "../../../errors.ts";
import { quoteForShell } from "../../../suggested-commands.ts";
import { adminFlags, administer } from "../administer.ts";

export const claimTokenCommand = command({
  path: "admin handles claim-token",
  summary: "Create a claim token for a tester handle (shown only once)",
  details:
    "The game sends the token once to link the tester's device to the handle. An earlier token of the handle stops " +
    "working immediately.",
  args: [{ name: "<handle>", describe: "tester handle" }],
  flags: adminFlags,
  examples: ["admin handles claim-token wren --game ember"],
  async run(context, { args, flags }) {
    const [handle = ""] = args;
    const data = await administer(context, flags, async ({ db, note, game }) => {
      const { id, slug } = await game();
      const row = await findHandle(db, id, "handle", handle);
      if (!row) {
        throw fail("not_found", {
          message: `Handle ${JSON.stringify(handle)} not found in game ${slug}`,
          hint: `Run \`playtest admin handles create ${quoteForShell(handle) ?? "<handle>"} --game ${slug}\` to create it.`,
        });
      }
      note.target = await keyedHash(db, row.handle);
      return { id: row.id, handle: row.handle, claimToken: await issueClaimToken(db, row) };
    });
    return {
      data,
      view: (options) =>
        `${renderDetails(
          [
            ["Claim token", data.claimToken, "strong"],
            ["Handle", data.handle],
          ],
          options,
        )}\nThe token is shown only once. Earlier tokens of the handle no longer work.\n`,
    };
  },
});
