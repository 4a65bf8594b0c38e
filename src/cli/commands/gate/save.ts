/** gate save: saves the data of a build that the gate needs to a file. */
import { checkInput } from "../../../client/client.ts";
import * as builds from "../../../contract/builds.ts";
import * as history from "../../../contract/play-history.ts";
import * as sessions from "../../../contract/sessions.ts";
import { toGateBuild } from "../../../gate/build-comparison.ts";
import { formatCount } from "../../../render/numbers.ts";
import { isoTime } from "../../../render/time.ts";
import { command } from "../../command.ts";
import { fail } from "../../errors.ts";
import { text } from "../../flags.ts";
import { explainMissingBuild, resolveBuild } from "../builds/resolve.ts";
import { writeNamedFile } from "../named-file.ts";
import { toBaselineFile } from "./baseline.ts";
import { fetchHistory } from "./fetch-history.ts";
import { requireGateEnvironment } from "./gate-query.ts";

export const saveCommand = command({
  path: "gate save",
  summary: "Save a build as a baseline for later gates",
  details:
    "Use the file as `playtest gate @<file> <b>`. It contains what each tester played and met, without names " +
    "or IDs, so the gate can run after the build's data is deleted.",
  args: [
    { name: "<build>", describe: "build version, `latest` (the newest) or `previous` (the second newest)" },
  ],
  flags: {
    env: text("--env <slug>", "environment, or `all` (default: production)"),
    out: text("--out <file>", "file to write (required)"),
  },
  examples: ["gate save 0.8.0 --game ember --out baseline.json"],
  async run(context, { args: [word = ""], flags: { env, out } }) {
    if (out === undefined) {
      throw fail("usage", {
        message: "--out is required",
        hint: "Specify the file, such as --out baseline.json.",
      });
    }
    const client = await context.client({ ...builds, ...history, ...sessions });
    const game = await context.requireGame();
    checkInput(builds.compareBuilds, { game, a: word, b: word, env });
    const version = await resolveBuild(client, { game, env, now: context.io.now() }, word);
    const compared = await client
      .compareBuilds({ game, a: version, b: version, env })
      .catch(async (error: unknown) => {
        throw await explainMissingBuild(error, client, game, [version]);
      });
    await requireGateEnvironment(context, env, { testers: compared.buildB.testersInBatch });
    const { stats } = (await client.getBuild({ game, version })).rollup;
    const build = toGateBuild(compared.buildB, {
      stats: { engagementRate: stats.engagementRate, medianActiveSec: stats.medianActiveSec },
      ...(await fetchHistory(client, { game, version, env })),
    });
    if (build.byTag === null) {
      throw fail("contract", {
        message: "This service does not report testers by tag, so the baseline cannot be saved",
        hint: "Use the build itself as the baseline: `playtest gate <build> <b>`.",
      });
    }
    const savedAt = isoTime(context.io.now());
    const baseline = toBaselineFile(build, {
      game: compared.game.slug,
      environment: compared.environment,
      savedAt,
    });
    const content = `${JSON.stringify(baseline, null, 2)}\n`;
    const path = await writeNamedFile("baseline", out, content, context.io);
    const message = `Saved build ${version} (${formatCount(build.testers, "tester")}, ${formatCount(build.byTag.size, "tag")}) to ${path}.`;
    return {
      data: { path, ...baseline },
      view: async () => `${(await import("../../../render/text.ts")).cleanLine(message)}\n`,
    };
  },
});
