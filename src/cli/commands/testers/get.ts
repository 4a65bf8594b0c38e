/** testers get: the play time and sessions of one device. */

import { ClientError } from "../../../client/errors.ts";
import type { Output } from "../../../contract/define.ts";
import * as testers from "../../../contract/testers.ts";
import { renderDetails } from "../../../render/details.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderTable } from "../../../render/table.ts";
import { formatTime } from "../../../render/time.ts";
import { command, createTable } from "../../command.ts";
import { fail } from "../../errors.ts";
import { text } from "../../flags.ts";
import { sessionColumns } from "../sessions/columns.ts";
import { statsDetails } from "../stats-details.ts";

export const getTesterCommand = command({
  path: "testers get",
  summary: "Show a tester's play time, sessions and summary",
  args: [{ name: "<device>", describe: "device id" }],
  flags: { env: text("--env <slug>", "environment of the summary (default: production)") },
  examples: ["testers get dev_0123 --game ember"],
  async run(context, { args, flags }) {
    // The path of this device is that of the archetypes.
    if (args[0] === "archetypes") {
      throw fail("usage", {
        message: "`archetypes` is reserved and cannot be a device id",
        hint: "Run `playtest testers archetypes` to see groups of similar testers.",
      });
    }
    const client = await context.client(testers);
    const game = await context.requireGame();
    const data = await client
      .getTester({ game, deviceId: args[0] ?? "", env: flags.env })
      .catch((error: unknown) => {
        throw explainMissingDevice(error);
      });
    return {
      data,
      table: createTable(data.sessions, sessionColumns, "No sessions."),
      view: (options) =>
        `${renderTester(data, options)}\n${renderTable(data.sessions, sessionColumns, options)}`,
    };
  },
});

/** Adds a hint to a 404, because people often specify a tester handle instead of a device id. */
function explainMissingDevice(error: unknown): unknown {
  if (!(error instanceof ClientError) || error.code !== "not_found") return error;
  const { message, status, requestId } = error;
  return fail("not_found", {
    message,
    hint: "Use a device id from the DEVICE column of `playtest handles list`. Run `playtest games list` to see the games this key can read.",
    status,
    requestId,
    cause: error,
  });
}

function renderTester(
  { game, rollup, summary }: Output<typeof testers.getTester>,
  options: RenderOptions,
): string {
  const location = [rollup.city, rollup.region, rollup.country].filter(Boolean).join(", ");
  return renderDetails(
    [
      ["Device", rollup.deviceId, "strong"],
      ["Game", game.name],
      ["Location", location || null],
      ["Sessions", rollup.sessionCount],
      ["First seen", formatTime(rollup.firstSeen, options)],
      ["Last seen", formatTime(rollup.lastSeen, options)],
      ["Last build", rollup.lastBuild],
      ...statsDetails(rollup.stats),
      ["Summary", summary?.narrative ?? null],
    ],
    options,
  );
}
