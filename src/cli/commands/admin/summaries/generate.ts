/** admin summaries generate: what builds and testers are summed up as, by the account's model or by rules. */
import { DEFAULT_ENV } from "../../../../contract/fields.ts";
import { modelOf } from "../../../../server/analysis/provider/model.ts";
import { type Narrated, narrate } from "../../../../server/builds/summaries.ts";
import { factsOf, putSummary, type Subject, subjectsOf } from "../../../../server/builds/summary-queries.ts";
import { questionsOf } from "../../../../server/feedback/questions.ts";
import { command, tableOf } from "../../../command.ts";
import { fail } from "../../../errors.ts";
import { text, toggle } from "../../../flags.ts";
import { textColumn } from "../../columns.ts";
import { type Admin, adminFlags, administer } from "../work.ts";

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
    const named: Subject | null =
      build !== undefined
        ? { kind: "build", name: build }
        : device !== undefined
          ? { kind: "tester", name: device }
          : null;
    const gathered = await administer(context, admin, (local) => gather(local, environment, named));
    // The model is asked between two transactions: a server on the same file is not kept waiting for it.
    const summaries = await narrate(gathered.provider, gathered.facts, gathered.questions, context.io.signal);
    await administer(context, admin, async ({ db, service }) => {
      const now = service.now();
      for (const one of summaries) await putSummary(db, { gameId: gathered.gameId, environment }, one, now);
    });
    return {
      data: { environment, summaries },
      table: tableOf(summaries, summaryColumns, "No sessions to sum up."),
    };
  },
});

async function gather({ db, accountId, game }: Admin, environment: string, named: Subject | null) {
  const { id: gameId } = await game();
  const scope = { gameId, environment };
  const provider = await modelOf(db, accountId);
  const questions = await questionsOf(db, gameId);
  const facts = [];
  for (const subject of named ? [named] : await subjectsOf(db, scope)) {
    const found = await factsOf(db, scope, subject);
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
  textColumn<Narrated>("kind", "KIND", ({ kind }) => kind),
  textColumn<Narrated>("name", "OF", ({ name }) => name),
  textColumn<Narrated>("source", "BY", ({ source, degraded }) =>
    degraded === null ? source : `${source} (degraded: ${degraded})`,
  ),
  textColumn<Narrated>("narrative", "SUMMARY", ({ narrative }) => narrative, 1),
];
