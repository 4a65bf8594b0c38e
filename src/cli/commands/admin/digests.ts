/** admin digests generate: generates the digest of an experiment. */
import type { ExperimentDigest } from "../../../contract/experiments.ts";
import { renderDetails } from "../../../render/details.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { textColumn } from "../../../render/tables/columns.ts";
import { findChatModel } from "../../../server/analysis/provider/provider-queries.ts";
import { compareVariants } from "../../../server/experiments/comparison.ts";
import { storeDigest, writeDigest } from "../../../server/experiments/digest.ts";
import { command, createTable } from "../../command.ts";
import { adminFlags, administer } from "./administer.ts";
import { experimentArgument, requireNamedExperiment } from "./experiments.ts";

type Headline = ExperimentDigest["digest"]["perVariant"][number];

export const generateDigestCommand = command({
  path: "admin digests generate",
  summary: "Generate an experiment's digest from its data so far",
  details:
    "`playtest experiments compare` shows the current numbers of an experiment. A digest describes them in words: a " +
    "recommendation, its confidence, and a headline for each variant. It is stored, and `compare` shows its " +
    "recommendation until you generate the digest again. Built-in rules write the digest. If the account has a chat model " +
    "provider, its text is added, unless the model fails or its text does not match the data.",
  args: [experimentArgument],
  flags: adminFlags,
  examples: ["admin digests generate exp_0123"],
  async run(context, { args, flags }) {
    const { id, comparison, provider } = await administer(context, flags, async (admin) => {
      const row = await requireNamedExperiment(admin, args[0] ?? "");
      return {
        id: row.id,
        comparison: await compareVariants(admin.db, row, admin.service.now()),
        provider: await findChatModel(admin.db, admin.accountId),
      };
    });
    // The model is called between two transactions, so that a server on the same database does not wait for it.
    const digest = await writeDigest(comparison, provider, context.io.signal);
    await administer(context, flags, async (admin) => {
      const row = await requireNamedExperiment(admin, id);
      admin.note.target = row.id;
      await storeDigest(admin.db, row, digest);
    });
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
      ...digest.perVariant.map(({ key, headline }) => [key, headline] as const),
      ["Themes in all variants", digest.sharedThemes?.join(", ") || null],
      ["Sentiment", digest.sentimentShift ?? null],
      ...(status === "ok" ? [] : [["AI text", "not available"] as const]),
    ],
    options,
  );
}
