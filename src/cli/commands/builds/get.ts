/** builds get: one build's sessions, devices and play time. */
import { checkInput } from "../../../client/client.ts";
import * as builds from "../../../contract/builds.ts";
import * as sessions from "../../../contract/sessions.ts";
import { renderDetails } from "../../../render/details.ts";
import { buildDetails } from "../../../render/tables/build-details.ts";
import { command } from "../../command.ts";
import { text } from "../../flags.ts";
import { resolveBuild } from "./resolve.ts";

export const getBuildCommand = command({
  path: "builds get",
  summary: "Show a build's sessions, devices, play time and summary",
  args: [{ name: "<version>", describe: "build version, `latest` or `previous`" }],
  flags: { env: text("--env <slug>", "environment of the summary (default: production)") },
  examples: ["builds get 0.9.0 --game ember", "builds get latest --game ember --json"],
  async run(context, { args, flags }) {
    const client = await context.client({ ...builds, ...sessions });
    const game = await context.requireGame();
    checkInput(builds.getBuild, { game, version: args[0], env: flags.env });
    const scope = { game, env: flags.env, now: context.io.now() };
    const version = await resolveBuild(client, scope, args[0] ?? "");
    const data = await client.getBuild({ game, version, env: flags.env });
    if (!data.summary)
      await (await import("../../unknown-names.ts")).requireKnownNames(context, { env: flags.env });
    return {
      data,
      view: (options) => renderDetails(buildDetails(data, flags.env, options), options),
    };
  },
});
