/** builds dropoff: in which rooms the sessions of a build ended, and what came last. */
import { checkInput } from "../../../client/client.ts";
import * as builds from "../../../contract/builds.ts";
import * as dropoff from "../../../contract/dropoff.ts";
import * as sessions from "../../../contract/sessions.ts";
import { dropoffColumns } from "../../../render/tables/dropoff.ts";
import { describeNoRooms } from "../../../render/tables/dropoff-text.ts";
import { command, createTable } from "../../command.ts";
import { text } from "../../flags.ts";
import { resolveBuild } from "./resolve.ts";

export const dropoffCommand = command({
  path: "builds dropoff",
  summary: "Show where the sessions of a build ended, and what came last",
  details:
    "A session ends in the room of its last player activity. QUIT counts sessions that ended there without a success in " +
    "the room and without a crash, and SHARE is their share of the sessions that entered the room, with its 95% " +
    "interval. NOT BACK counts testers who quit there and have not played any build since. A room stands out if " +
    `testers quit there more often than in the other rooms, at least ${dropoff.MIN_DROPOFF_TESTERS} entered it, and the difference is larger than ` +
    "chance. Open sessions and sessions without stored events are left out.",
  args: [{ name: "<version>", describe: "build version, `latest` or `previous`" }],
  flags: { env: text("--env <slug>", "environment, or `all` (default: production)") },
  examples: ["builds dropoff 0.9.0 --game ember", "builds dropoff latest --game ember --format csv"],
  async run(context, { args, flags: { env } }) {
    const client = await context.client({ ...builds, ...sessions, ...dropoff });
    const game = await context.requireGame();
    checkInput(dropoff.getBuildDropoff, { game, version: args[0], env });
    const version = await resolveBuild(client, { game, env, now: context.io.now() }, args[0] ?? "");
    const data = await client.getBuildDropoff({ game, version, env });
    return {
      data,
      table: createTable(
        data.rooms,
        dropoffColumns,
        describeNoRooms(data, "Select another environment with --env."),
      ),
      items: data.rooms,
      view: async (options) =>
        data.rooms.length === 0 ? "" : (await import("./dropoff-view.ts")).dropoffView(data, options),
    };
  },
});
