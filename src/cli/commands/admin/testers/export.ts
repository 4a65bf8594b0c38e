/** admin testers export: writes everything that the database holds about a tester to a file. */
import { exportTester } from "../../../../server/erasure/export-tester.ts";
import { formatCount } from "../../../../server/insights/wording.ts";
import { command } from "../../../command.ts";
import { fail } from "../../../errors.ts";
import { text, toggle } from "../../../flags.ts";
import { writeSecretFile } from "../../named-file.ts";
import { adminFlags, administerInSteps } from "../administer.ts";
import { findTesterGames } from "./games.ts";

export const exportTesterCommand = command({
  path: "admin testers export",
  summary: "Export everything about a tester to a JSON file",
  details:
    "Exports what `playtest admin testers erase` would delete: the tester's sessions with all events, insights, feedback and bug " +
    "reports, handles, invites and redemptions. The tester is found by a handle, a device ID or an email address, in all games " +
    "of the account unless you set --game. Only you can read the file.",
  args: [{ name: "<tester>", describe: "tester handle, device id or email address" }],
  flags: {
    ...adminFlags,
    out: text("--out <file>", "file to write"),
    force: toggle("--force", "overwrite an existing file"),
  },
  examples: ["admin testers export wren --out wren.json"],
  finishesOnSignal: true,
  async run(context, { args: [name = ""], flags: { out, force, ...flags } }) {
    if (out === undefined)
      throw fail("usage", {
        message: "No file specified",
        hint: "Add --out <file>. It will contain personal data.",
      });
    return await administerInSteps(context, flags, async ({ service, run }) => {
      const games = await run((step) => findTesterGames(context, step));
      const target = { what: "export", file: out, replace: force };
      const { path, filled } = await writeSecretFile(target, context.io, (write) =>
        service.store.read((db) =>
          exportTester(db, name, games, service.now(), (part) => write(Buffer.from(part))),
        ),
      );
      const sessions = formatCount(filled.sessions, "session");
      const events = formatCount(filled.events, "event");
      return {
        data: { file: path, ...filled },
        view: () => `Exported ${sessions} with ${events} to ${path}.\n`,
      };
    });
  },
});
