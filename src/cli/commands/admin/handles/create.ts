/** admin handles create: creates a tester handle. */

import { handles } from "../../../../contract/handles.ts";
import { toColumns } from "../../../../render/tables/resource-columns.ts";
import { keyedHash } from "../../../../server/db/keyed-hash.ts";
import { findPlaytestKey } from "../../../../server/playtests/playtest-queries.ts";
import { toTesterHandle } from "../../../../server/testers/handle-queries.ts";
import { ensureHandle } from "../../../../server/testers/handles.ts";
import { command, createTable } from "../../../command.ts";
import { fail } from "../../../errors.ts";
import { text } from "../../../flags.ts";
import { adminFlags, administer } from "../administer.ts";

export const createHandleCommand = command({
  path: "admin handles create",
  summary: "Create a tester handle, or return the existing one",
  details:
    "A handle is the name that a tester goes by in one game. To link the tester's device to the handle, create a token with `playtest admin handles claim-token`.",
  args: [{ name: "<handle>", describe: "tester handle, 1 to 120 characters" }],
  flags: { ...adminFlags, key: text("--key <id>", "id of the playtest key that the tester received") },
  examples: ["admin handles create wren --game ember", "admin handles create wren --key ptk_0123"],
  async run(context, { args, flags }) {
    const row = await administer(context, flags, async ({ db, service, note, game }) => {
      const { id } = await game();
      if (flags.key !== undefined && !(await findPlaytestKey(db, id, "id", flags.key)))
        throw fail("not_found", {
          message: `Playtest key ${JSON.stringify(flags.key)} not found`,
          hint: "Run `playtest batches keys <batch>` to list keys.",
        });
      const created = await ensureHandle(db, service, id, args[0] ?? "", flags.key ?? null);
      note.target = await keyedHash(db, created.handle);
      return created;
    });
    const handle = toTesterHandle(row);
    return { data: { handle }, table: createTable([handle], toColumns(handles), "") };
  },
});
