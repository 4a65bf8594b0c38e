/** The texts that a model or rules write: summaries of builds and testers, digests of experiments. */
import type { ExperimentDigest } from "../../../contract/experiments.ts";
import { DEFAULT_ENV } from "../../../contract/fields.ts";
import { renderDetails } from "../../../render/details.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { defineColumns } from "../../../render/tables/columns.ts";
import type { FaultReason } from "../../../server/analysis/provider/faults.ts";
import { findChatModel } from "../../../server/analysis/provider/provider-queries.ts";
import { type WrittenSummary, writeSummaries } from "../../../server/builds/summaries.ts";
import {
  findSubjects,
  readSubjectFacts,
  type SummarySubject,
  storeSummary,
} from "../../../server/builds/summary-queries.ts";
import { compareVariants } from "../../../server/experiments/comparison.ts";
import { storeDigest, writeDigest } from "../../../server/experiments/digest.ts";
import { findQuestions } from "../../../server/feedback/form-queries.ts";
import { command, createTable } from "../../command.ts";
import { fail } from "../../errors.ts";
import { text, toggle } from "../../flags.ts";
import { type AdminContext, adminFlags, administer } from "./administer.ts";
import { experimentArgument, requireNamedExperiment } from "./experiments.ts";

export const generateSummariesCommand = command({
  path: "admin summaries generate",
  summary: "Regenerate the summaries of builds and testers",
  details:
    "The service renews summaries by itself some minutes after sessions were analyzed; this command does so at once. " +
    "The account's chat model provider writes the summaries. Built-in rules write them if no provider is set, if the model " +
    "fails or if its text does not match the data.",
  flags: {
    ...adminFlags,
    build: text("--build <version>", "summarize this build"),
    device: text("--device <id>", "summarize the tester with this device id"),
    all: toggle("--all", "summarize every build and tester of the environment"),
    env: text("--env <slug>", "environment (default: production)"),
  },
  examples: [
    "admin summaries generate --game ember --all",
    "admin summaries generate --game ember --build 0.9.0",
  ],
  async run(context, { flags }) {
    const { build, device, all, env: environment = DEFAULT_ENV, ...admin } = flags;
    if ([build !== undefined, device !== undefined, all].filter(Boolean).length !== 1) {
      throw fail("usage", { message: "Specify exactly one of --build, --device and --all" });
    }
    if (environment === "all")
      throw fail("usage", { message: "--env must be a single environment, not all" });
    const subject: SummarySubject | null =
      build !== undefined
        ? { kind: "build", name: build }
        : device !== undefined
          ? { kind: "tester", name: device }
          : null;
    const data = await administer(context, admin, (local) => readFacts(local, environment, subject));
    // The model is called between two transactions, so that a server on the same database does not wait for it.
    const summaries = await writeSummaries(data.provider, data.facts, data.questions, context.io.signal);
    await administer(context, admin, async ({ db, service, note }) => {
      note.target = data.gameId;
      const now = service.now();
      for (const summary of summaries)
        await storeSummary(db, { gameId: data.gameId, environment }, summary, now);
    });
    return {
      data: { environment, summaries },
      table: createTable(summaries, summaryColumns, "No sessions to summarize."),
    };
  },
});

async function readFacts(
  { db, accountId, game }: AdminContext,
  environment: string,
  only: SummarySubject | null,
) {
  const { id: gameId } = await game();
  const scope = { gameId, environment };
  const provider = await findChatModel(db, accountId);
  const questions = await findQuestions(db, gameId);
  const facts = [];
  for (const subject of only ? [only] : await findSubjects(db, scope)) {
    const subjectFacts = await readSubjectFacts(db, scope, subject);
    if (subjectFacts) facts.push(subjectFacts);
  }
  if (only && facts.length === 0) {
    throw fail("not_found", {
      message: `No sessions of ${only.kind === "tester" ? "device" : only.kind} ${JSON.stringify(only.name)} in environment ${environment}`,
    });
  }
  return { gameId, provider, facts, questions };
}

/** Why a summary does not come from the AI model, for people. */
const faultTexts: Readonly<Record<FaultReason, string>> = {
  declined: "AI model declined",
  invalid: "AI text rejected",
  refused: "AI URL not allowed",
  unavailable: "AI service unavailable",
  timeout: "AI service timed out",
  budget: "budget of the day spent",
};

const summaryColumns = defineColumns<WrittenSummary>({
  kind: { header: "KIND" },
  name: { header: "NAME" },
  source: {
    header: "SOURCE",
    value: ({ source, degraded }) => (degraded === null ? source : `${source} (degraded: ${degraded})`),
    format: ({ source, degraded }) => (degraded === null ? source : `${source} (${faultTexts[degraded]})`),
  },
  narrative: { header: "SUMMARY", shrink: 1 },
});

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
        comparison: await compareVariants(admin.db, row, { now: admin.service.now() }),
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

const headlineColumns = defineColumns<ExperimentDigest["digest"]["perVariant"][number]>({
  key: { header: "VARIANT" },
  headline: { header: "HEADLINE", shrink: 1 },
});

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
