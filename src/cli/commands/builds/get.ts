/** builds get: one build's sessions, devices and play time. */
import { checkInput } from "../../../client/client.ts";
import type { BuildRollup } from "../../../contract/builds.ts";
import * as builds from "../../../contract/builds.ts";
import * as sessions from "../../../contract/sessions.ts";
import { renderDetails } from "../../../render/details.ts";
import { formatNumber } from "../../../render/numbers.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { statsDetails } from "../../../render/tables/stats-details.ts";
import { cleanLine } from "../../../render/text.ts";
import { formatTime } from "../../../render/time.ts";
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
    const { rollup, summary } = data;
    if (!summary)
      await (await import("../../unknown-names.ts")).requireKnownNames(context, { env: flags.env });
    return {
      data,
      view: (options) =>
        renderDetails(
          [
            ["Build", rollup.version, "strong"],
            ["Game", data.game.name],
            ["Statistics for", describeEnvironments(rollup)],
            ["Sessions", formatNumber(rollup.sessionCount, options)],
            ["Testers", describeTesters(rollup, options)],
            ["First seen", formatTime(rollup.firstSeen, options)],
            ["Last seen", formatTime(rollup.lastSeen, options)],
            ...(options.wide ? [["Most sessions from", rollup.sampleCountry ?? null] as const] : []),
            ...statsDetails(rollup.stats),
            [`Summary (${flags.env ?? "production"})`, summary?.narrative ?? null],
          ],
          options,
        ),
    };
  },
});

function describeEnvironments({ environments }: BuildRollup): string {
  const names = environments?.map(cleanLine).join(", ") ?? "";
  return names === "" ? "all environments combined" : `all environments combined (${names})`;
}

/** The testers, with their devices if some sessions have none. Not every service counts testers. */
function describeTesters({ testerCount, uniqueDevices }: BuildRollup, options: RenderOptions): string {
  const devices = `${formatNumber(uniqueDevices, options)} ${uniqueDevices === 1 ? "device" : "devices"}`;
  if (testerCount === null || testerCount === undefined) return devices;
  const testers = formatNumber(testerCount, options);
  const anonymous = testerCount - uniqueDevices;
  if (anonymous <= 0) return testers;
  const sessions = anonymous === 1 ? "1 session" : `${formatNumber(anonymous, options)} sessions`;
  return `${testers} (${devices}, and ${sessions} without a device)`;
}
