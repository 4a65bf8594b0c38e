/** gate save: saves the data of a build that the gate needs to a file. */
import { checkInput } from "../../../client/client.ts";
import { readOptionalFacts } from "../../../client/scorecard.ts";
import * as facts from "../../../contract/build-facts.ts";
import * as builds from "../../../contract/builds.ts";
import { formatCount } from "../../../render/numbers.ts";
import { isoTime } from "../../../render/time.ts";
import { command } from "../../command.ts";
import { findOtherEnvironment } from "../../default-environment.ts";
import { fail } from "../../errors.ts";
import { negated, text } from "../../flags.ts";
import { buildEndpoints } from "../builds/endpoints.ts";
import { createBuildScope, explainMissing, resolveBuild } from "../builds/resolve.ts";
import { writeBaseline } from "./baseline.ts";
import { requireGateEnvironment } from "./gate-query.ts";

export const saveCommand = command({
  path: "gate save",
  summary: "Save a build as a baseline for later gates",
  details:
    "Use the file as `playtest gate @<file> <b>`. It contains what each tester did, without names or device IDs, so the " +
    "gate can run after the build's data is deleted. Testers who also play b are compared with themselves; --no-pairs " +
    "leaves out the hashes that this needs.",
  args: [
    { name: "<build>", describe: "build version, `latest` (the newest) or `previous` (the second newest)" },
  ],
  flags: {
    env: text("--env <slug>", "environment, or `all` (default: production)"),
    out: text("--out <file>", "file to write (required)"),
    pairs: negated("--no-pairs", "leave out the hashes by which testers of several builds are recognized"),
  },
  examples: ["gate save 0.8.0 --game ember --out baseline.json"],
  async run(context, { args: [word = ""], flags: { env: chosen, out, pairs } }) {
    if (out === undefined) {
      throw fail("usage", {
        message: "--out is required",
        hint: "Specify the file, such as --out baseline.json.",
      });
    }
    const client = await context.client({ ...buildEndpoints, ...facts });
    const game = await context.requireGame();
    checkInput(builds.compareBuilds, { game, a: word, b: word, env: chosen });
    const env = chosen ?? (await findOtherEnvironment(context)) ?? undefined;
    const version = await resolveBuild(client, createBuildScope(context, game, env), word);
    const compared = await client
      .compareBuilds({ game, a: version, b: version, env })
      .catch(explainMissing(client, game, [version]));
    const { testersInBatch: testers } = compared.buildB;
    await requireGateEnvironment(context, env, { testers });
    const read = await readOptionalFacts(client, { game, version, env });
    if (typeof read === "string") {
      throw fail("contract", {
        message: "This service does not report what each tester did, so the baseline cannot be saved",
        hint: "Use the build itself as the baseline: `playtest gate <build> <b>`.",
      });
    }
    const scope = { game: compared.game.slug, environment: compared.environment };
    const savedAt = isoTime(context.io.now());
    const saved = { ...scope, savedAt, version, testers, facts: read };
    const { path, baseline } = await writeBaseline(out, saved, { pairs }, context.io);
    const message = `Saved build ${version} (${formatCount(testers, "tester")}) to ${path}.`;
    return {
      data: { path, ...baseline },
      view: async () => `${(await import("../../../render/text.ts")).cleanLine(message)}\n`,
    };
  },
});
