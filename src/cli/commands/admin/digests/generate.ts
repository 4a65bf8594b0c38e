/** admin digests generate: an experiment's digest, written anew. */
import type { ExperimentDigest } from "../../../../contract/experiments.ts";
import { renderDetails } from "../../../../render/details.ts";
import type { RenderOptions } from "../../../../render/options.ts";
import { findChatModel } from "../../../../server/analysis/provider/model.ts";
import { compareVariants } from "../../../../server/experiments/comparison.ts";
import { storeDigest, writeDigest } from "../../../../server/experiments/digest.ts";
import { requireExperiment } from "../../../../server/experiments/queries.ts";
import { command, createTable } from "../../../command.ts";
import { textColumn } from "../../columns.ts";
import { adminFlags, administer } from "../administer.ts";

type Headline = ExperimentDigest["digest"]["perVariant"][number];

export const generateDigestCommand = command({
  path: "admin digests generate",
  summary: "Write an experiment's digest from what its players did so far",
  details:
    "By rules and, where the account has a chat model, with its words behind theirs. Where the model fails or does not " +
    "hold to what it was shown, the rules' digest is kept as degraded.",
  args: [{ name: "<experiment>", describe: "its id, exp_..." }],
  flags: adminFlags,
  examples: ["admin digests generate exp_0123"],
  async run(context, { args, flags }) {
    const id = args[0] ?? "";
    const { compared, provider } = await administer(context, flags, async ({ db, service, accountId }) => ({
      compared: await compareVariants(db, await requireExperiment(db, accountId, id), service.now()),
      provider: await findChatModel(db, accountId),
    }));
    // The model is asked between two transactions: a server on the same file is not kept waiting for it.
    const digest = await writeDigest(compared, provider, context.io.signal);
    await administer(context, flags, async ({ db, accountId }) =>
      storeDigest(db, await requireExperiment(db, accountId, id), digest),
    );
    return {
      data: { digest },
      table: createTable(digest.digest.perVariant, headlineColumns, "No variants."),
      view: (options) => renderDigest(digest, options),
    };
  },
});

const headlineColumns = [
  textColumn<Headline>("key", "VARIANT", ({ key }) => key),
  textColumn<Headline>("headline", "HEADLINE", ({ headline }) => headline, 1),
];

function renderDigest({ status, confidenceLabel, digest }: ExperimentDigest, options: RenderOptions): string {
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
