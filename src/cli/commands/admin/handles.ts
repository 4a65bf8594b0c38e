/** The `admin handles` commands: the names testers go by. */
import { handles } from "../../../contract/handles.ts";
import { renderDetails } from "../../../render/details.ts";
import { quoteForShell } from "../../../render/shell.ts";
import { toColumns } from "../../../render/tables/columns.ts";
import { keyedHash } from "../../../server/db/keyed-hash.ts";
import { findHandle } from "../../../server/ids/tester-queries.ts";
import { findPlaytestKey } from "../../../server/playtests/playtest-queries.ts";
import { toTesterHandle } from "../../../server/testers/handle-queries.ts";
import { ensureHandle, issueClaimToken } from "../../../server/testers/handles.ts";
import { formatName } from "../../../shared/similar-names.ts";
import { command, createTable } from "../../command.ts";
import { text } from "../../flags.ts";
import { adminFlags, administer, failNotFound } from "./administer.ts";

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
        throw failNotFound(
          `playtest key ${formatName(flags.key)}`,
          "`playtest batches keys <batch>` to list keys",
        );
      const created = await ensureHandle(db, service, id, args[0] ?? "", flags.key ?? null);
      note.target = await keyedHash(db, created.handle);
      return created;
    });
    const handle = toTesterHandle(row);
    return { data: { handle }, table: createTable([handle], toColumns(handles), "") };
  },
});

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
        const create = `playtest admin handles create ${quoteForShell(handle) ?? "<handle>"} --game ${slug}`;
        throw failNotFound(
          `handle ${formatName(handle)} in ${formatName(slug)}`,
          `\`${create}\` to create it`,
        );
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
