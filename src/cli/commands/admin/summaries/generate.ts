/** admin summaries generate: what builds and testers are summed up as, by the account's model or by rules. */
import { DEFAULT_ENV } from "../../../../contract/fields.ts";
import { findChatModel } from "../../../../server/analysis/provider/model.ts";
import { type WrittenSummary, writeSummaries } from "../../../../server/builds/summaries.ts";
import {
  findSubjects,
  readSubjectFacts,
  type SummarySubject,
  storeSummary,
} from "../../../../server/builds/summary-queries.ts";
import { findQuestions } from "../../../../server/feedback/questions.ts";
import { command, createTable } from "../../../command.ts";
import { fail } from "../../../errors.ts";
import { text, toggle } from "../../../flags.ts";
import { textColumn } from "../../columns.ts";
import { type AdminContext, adminFlags, administer } from "../administer.ts";

export const generateSummariesCommand = command({
  path: "admin summaries generate",
  summary: "Write the summaries of builds and testers anew",
  details:
    "By the account's chat model where one is set, else by rules. Where the model fails or does not hold to what it " +
    "was shown, the rules' summary is kept and told as degraded.",
  args: [],
  flags: {
    ...adminFlags,
    build: text("--build <version>", "of this build"),
    device: text("--device <id>", "of this tester"),
    all: toggle("--all", "of every build and tester of the environment"),
    env: text("--env <slug>", "environment, default production"),
  },
  examples: [
    "admin summaries generate --game ember --all",
    "admin summaries generate --game ember --build 0.9.0",
  ],
  async run(context, { flags }) {
    const { build, device, all, env: environment = DEFAULT_ENV, ...admin } = flags;
    if ([build !== undefined, device !== undefined, all].filter(Boolean).length !== 1) {
      throw fail("usage", { message: "Give one of --build, --device and --all" });
    }
    if (environment === "all") throw fail("usage", { message: "--env is one environment, not all" });
    const named: SummarySubject | null =
      build !== undefined
        ? { kind: "build", name: build }
        : device !== undefined
          ? { kind: "tester", name: device }
          : null;
    const gathered = await administer(context, admin, (local) => gatherFacts(local, environment, named));
    // The model is asked between two transactions: a server on the same file is not kept waiting for it.
    const summaries = await writeSummaries(
      gathered.provider,
      gathered.facts,
      gathered.questions,
      context.io.signal,
    );
    await administer(context, admin, async ({ db, service }) => {
      const now = service.now();
      for (const one of summaries) await storeSummary(db, { gameId: gathered.gameId, environment }, one, now);
    });
    return {
      data: { environment, summaries },
      table: createTable(summaries, summaryColumns, "No sessions to sum up."),
    };
  },
});

async function gatherFacts(
  { db, accountId, game }: AdminContext,
  environment: string,
  named: SummarySubject | null,
) {
  const { id: gameId } = await game();
  const scope = { gameId, environment };
  const provider = await findChatModel(db, accountId);
  const questions = await findQuestions(db, gameId);
  const facts = [];
  for (const subject of named ? [named] : await findSubjects(db, scope)) {
    const found = await readSubjectFacts(db, scope, subject);
    if (found) facts.push(found);
  }
  if (named && facts.length === 0) {
    throw fail("not_found", {
      message: `No session in ${environment} is of ${named.kind} ${JSON.stringify(named.name)}`,
    });
  }
  return { gameId, provider, facts, questions };
}

const summaryColumns = [
  textColumn<WrittenSummary>("kind", "KIND", ({ kind }) => kind),
  textColumn<WrittenSummary>("name", "OF", ({ name }) => name),
  textColumn<WrittenSummary>("source", "BY", ({ source, degraded }) =>
    degraded === null ? source : `${source} (degraded: ${degraded})`,
  ),
  textColumn<WrittenSummary>("narrative", "SUMMARY", ({ narrative }) => narrative, 1),
];
