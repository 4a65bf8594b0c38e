/** explain: what a row, an insight, an exit code or a word of an answer means. */
import { findMeaning, listTypeMeanings } from "../../../charts/meanings.ts";
import { readComparison } from "../../../client/scorecard.ts";
import * as insightEvidence from "../../../contract/insight-evidence.ts";
import { insightTypes } from "../../../contract/insights.ts";
import { formatStrength } from "../../../render/numbers.ts";
import { quoteForShell } from "../../../render/shell.ts";
import { describeSessions } from "../../../render/status/text.ts";
import { METRICS } from "../../../scorecard/metrics.ts";
import { DEFAULT_OPTIONS } from "../../../scorecard/options.ts";
import { formatName, suggestSimilar } from "../../../shared/similar-names.ts";
import { parseTag } from "../../../shared/tags.ts";
import { command } from "../../command.ts";
import type { Context } from "../../context.ts";
import { inEnvironment } from "../../default-environment.ts";
import { type CliErrorCode, cliErrors, fail, findHttpStatus } from "../../errors.ts";
import { text } from "../../flags.ts";
import { withWholeId } from "../../short-ids.ts";
import { comparisonEndpoints } from "../builds/endpoints.ts";
import { createBuildScope, explainMissing, resolvePair } from "../builds/resolve.ts";
import { sameBuildError } from "../gate/gate-query.ts";
import { type Explanation, explanationView } from "./explanation.ts";
import { explainRow, explainSubject } from "./row.ts";
import { findTerms, terms } from "./words.ts";

const explainCommand = command({
  path: "explain",
  summary: "Explain a row, an insight, an exit code or a word of an answer",
  details:
    "A row is a friction tag such as difficulty-spike:furnace, or such as quit:furnace or crash. With a game, its numbers in " +
    "two builds are explained too. Words are those of answers, such as `ruled out`, `inconclusive` or `processing`.",
  args: [
    { name: "<subject>", describe: "row, insight id, exit code, error code or word" },
    { name: "[a]", describe: "for a row: baseline build, `latest` or `previous` (default)" },
    { name: "[b]", describe: "for a row: build to judge, `latest` (default) or `previous`" },
  ],
  flags: { env: text("--env <slug>", "environment of a row, or `all` (default: production)") },
  examples: ["explain quit:furnace --game ember", 'explain "ruled out"', "explain 11"],
  async run(context, { args: [subject = "", a = "previous", b = "latest"], flags: { env } }) {
    const explanation =
      explainCode(subject) ??
      explainWord(subject) ??
      (subject.startsWith("ins_") ? await explainInsight(context, subject) : null) ??
      (isRow(subject) ? await explainIn(context, subject, { a, b, env }) : null);
    if (explanation === null) throw unknownSubject(subject);
    const { details, ...rest } = explanation;
    return {
      data: { ...rest, details: details.map(([label, value]) => ({ label, value })) },
      view: (options) => explanationView(explanation, options),
    };
  },
});

/** A tag, or a metric of the scorecard. */
const isRow = (subject: string): boolean =>
  parseTag(subject) !== undefined || METRICS.some(({ name }) => name === subject && name !== "friction");

function unknownSubject(subject: string) {
  const known = [...terms.map(({ word }) => word), ...insightTypes, ...Object.keys(cliErrors)];
  return fail("usage", {
    message: `Nothing is called ${formatName(subject)}`,
    suggestion: suggestSimilar(subject, known, null),
    hint: "Name a row such as quit:furnace, an insight, an exit code or a word such as `ruled out`.",
  });
}

/** An exit code, or the code of an error. */
function explainCode(subject: string): Explanation | null {
  if (subject === "0") {
    const meaning =
      "The command succeeded. An empty list, a passed gate and a closed pipe are successes too.";
    return { title: "Exit code 0", scope: null, details: [["success", meaning]] };
  }
  const codes = (Object.keys(cliErrors) as CliErrorCode[]).filter(
    (code) => code === subject || String(cliErrors[code].exit) === subject,
  );
  const [first] = codes;
  if (first === undefined) return null;
  return {
    title: `Exit code ${cliErrors[first].exit}`,
    scope: null,
    details: codes.map((code) => {
      const status = findHttpStatus(code);
      const { message, hint } = cliErrors[code];
      return [code, `${message}${status === null ? "" : ` (HTTP ${status})`}. ${hint}`] as const;
    }),
  };
}

/** A word of an answer, or a type of insights. */
function explainWord(subject: string): Explanation | null {
  const found = findTerms(subject);
  const [first] = found;
  if (first !== undefined)
    return {
      title: first.word,
      scope: null,
      details: found.map(({ of, meaning }) => [`Of ${of}`, meaning] as const),
    };
  const type = insightTypes.find((name) => name === subject);
  if (type === undefined) return null;
  return { title: type, scope: null, details: listTypeMeanings(type) };
}

async function explainInsight(context: Context, short: string): Promise<Explanation> {
  const client = await context.client(insightEvidence);
  const data = await withWholeId(context, "ins", short, (id) => client.getInsight({ id }));
  const { insight, build, environment } = data;
  const meaning = insight.tag == null ? null : findMeaning({ name: "friction", subject: insight.tag });
  const session = { sessionId: insight.sessionId, insightId: insight.id, title: null, activeSec: null };
  return {
    title: insight.title ?? insight.type,
    scope: [build, environment, insight.tag].filter((part) => part != null).join(" · "),
    details: [
      ...(meaning === null ? [] : [["Rule", meaning.counts] as const]),
      ["Evidence", insight.evidence],
      ["Strength", `${formatStrength(insight.confidence)}: how clear the evidence is, not a probability`],
      ["Session", describeSessions([session])],
    ],
    next: `playtest insights get ${insight.id}`,
  };
}

interface RowQuery {
  readonly a: string;
  readonly b: string;
  readonly env: string | undefined;
}

/** A row in two builds; without a game, only what it counts. */
async function explainIn(
  context: Context,
  row: string,
  { a: wordA, b: wordB, env }: RowQuery,
): Promise<Explanation> {
  const game = (await context.findGame())?.value ?? null;
  if (game === null) return explainSubject(row);
  if (wordA === wordB) throw sameBuildError(wordB);
  const client = await context.client(comparisonEndpoints);
  const { viewComparison } = await import("../../../charts/scorecard.ts");
  const request = async (chosen: string | undefined) => {
    const scope = createBuildScope(context, game, chosen);
    const { a, b } = await resolvePair(client, scope, { a: wordA, b: wordB });
    if (a === b) throw sameBuildError(b, [wordA, wordB]);
    const pair = { game, a, b, env: chosen };
    return await readComparison(client, pair, DEFAULT_OPTIONS).catch(explainMissing(client, game, [a, b]));
  };
  const isEmpty = (answer: Awaited<ReturnType<typeof request>>) => answer.a.testers + answer.b.testers === 0;
  const compared = await inEnvironment(context, env, request, isEmpty);
  const view = viewComparison(compared);
  const found = view.rows.find(({ id, metric }) => id === row || metric === row);
  if (found === undefined) {
    const ids = view.rows.map(({ id }) => id);
    throw fail("not_found", {
      message: `No row ${formatName(row)} in ${view.a.version} and ${view.b.version} of ${game}`,
      suggestion: suggestSimilar(row, ids, null),
      hint: "Run `playtest builds compare --all` to see all rows.",
    });
  }
  const evidence = compared.evidence?.find(({ metric }) => metric === found.metric) ?? null;
  const quoted = quoteForShell(found.id);
  const scope = { game, build: view.b.version, env: view.environment, tag: found.id, limit: 1 };
  const [example] = found.name === "friction" ? (await client.listInsights(scope)).items : [];
  return {
    ...explainRow(view, found, { evidence, example: example?.title ?? null }),
    next: quoted && `Over all builds: playtest builds trend --tag ${quoted}`,
  };
}

export const commands = [explainCommand];
