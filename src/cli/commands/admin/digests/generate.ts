/** admin digests generate: an experiment's digest, written anew. */
import type { Digest } from "../../../../contract/experiments.ts";
import { renderDetails } from "../../../../render/details.ts";
import type { RenderOptions } from "../../../../render/options.ts";
import { generateDigest } from "../../../../server/experiments/digest.ts";
import { requireExperiment } from "../../../../server/queries/experiments.ts";
import { command, tableOf } from "../../../command.ts";
import { textColumn } from "../../columns.ts";
import { adminFlags, administer } from "../work.ts";

type Headline = Digest["digest"]["perVariant"][number];

export const generateDigestCommand = command({
  path: "admin digests generate",
  summary: "Write an experiment's digest from what its players did so far",
  args: [{ name: "<experiment>", describe: "its id, exp_..." }],
  flags: adminFlags,
  examples: ["admin digests generate exp_0123"],
  async run(context, { args, flags }) {
    const digest = await administer(context, flags, async ({ db, service, accountId }) =>
      generateDigest(db, await requireExperiment(db, accountId, args[0] ?? ""), service.now()),
    );
    return {
      data: { digest },
      table: tableOf(digest.digest.perVariant, headlineColumns, "No variants."),
      view: (options) => detailsOf(digest, options),
    };
  },
});

const headlineColumns = [
  textColumn<Headline>("key", "VARIANT", ({ key }) => key),
  textColumn<Headline>("headline", "HEADLINE", ({ headline }) => headline, 1),
];

function detailsOf({ status, confidenceLabel, digest }: Digest, options: RenderOptions): string {
  return renderDetails(
    [
      ["Recommendation", digest.recommendation, "strong"],
      ["Confidence", confidenceLabel],
      ["Status", status],
      ...digest.perVariant.map(({ key, headline }) => [key, headline] as const),
      ["Shared themes", digest.sharedThemes?.join(", ") || null],
      ["Mood", digest.sentimentShift ?? null],
    ],
    options,
  );
}
