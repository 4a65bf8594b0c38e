/** gate save: keeps what a gate needs to know of a build in a file. */
import { checkInput } from "../../../client/client.ts";
import * as builds from "../../../contract/builds.ts";
import * as sessions from "../../../contract/sessions.ts";
import { toGateBuild } from "../../../gate/build-comparison.ts";
import { isoTime } from "../../../render/time.ts";
import { command } from "../../command.ts";
import { fail } from "../../errors.ts";
import { text } from "../../flags.ts";
import { explainMissingBuild, resolveBuild } from "../builds/resolve.ts";
import { writeNamedFile } from "../named-file.ts";
import { toBaselineFile } from "./baseline.ts";

export const saveCommand = command({
  path: "gate save",
  summary: "Save a build as a baseline for later gates",
  details:
    "The file contains the number of testers for each tag, so a gate can run after the build's data is " +
    "deleted.",
  args: [{ name: "<build>", describe: "build version, `latest` or `previous`" }],
  flags: {
    env: text("--env <slug>", "environment, or `all` (default: production)"),
    out: text("--out <file>", "file to write (required)"),
  },
  examples: ["gate save 0.8.0 --game ember --out baseline.json"],
  async run(context, { args: [word = ""], flags: { env, out } }) {
    if (out === undefined) {
      throw fail("usage", { message: "--out is missing", hint: "Name the file: --out baseline.json." });
    }
    const client = await context.client({ ...builds, ...sessions });
    const game = await context.requireGame();
    checkInput(builds.compareBuilds, { game, a: word, b: word, env });
    const version = await resolveBuild(client, { game, env, now: context.io.now() }, word);
    const compared = await client
      .compareBuilds({ game, a: version, b: version, env })
      .catch(async (error: unknown) => {
        throw await explainMissingBuild(error, client, game, [version]);
      });
    const { stats } = (await client.getBuild({ game, version })).rollup;
    const side = toGateBuild(compared.buildB, {
      engagementRate: stats.engagementRate,
      medianActiveSec: stats.medianActiveSec,
    });
    if (side.byTag === null) {
      throw fail("contract", {
        message: "The service tells no testers by tag, so there is nothing to save",
        hint: "Name the build itself as the baseline.",
      });
    }
    const savedAt = isoTime(context.io.now());
    const baseline = toBaselineFile(side, {
      game: compared.game.slug,
      environment: compared.environment,
      savedAt,
    });
    const content = `${JSON.stringify(baseline, null, 2)}\n`;
    const path = await writeNamedFile("baseline", out, content, context.io);
    const told = `Saved build ${version} (${side.testers} testers, ${side.byTag.size} tags) to ${path}.`;
    return {
      data: { path, ...baseline },
      view: async () => `${(await import("../../../render/text.ts")).cleanLine(told)}\n`,
    };
  },
});
