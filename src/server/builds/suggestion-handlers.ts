/** Suggestions for the unresolved friction tags of a build, written by the account's AI model or by rules. */
import { HttpError } from "../../contract/errors.ts";
import { DEFAULT_ENV } from "../../contract/fields.ts";
import type { getBuildSuggestions, Suggestion } from "../../contract/suggestions.ts";
import { diffFriction } from "../../shared/friction-diff.ts";
import type { Handler } from "../accounts/handler.ts";
import { ProviderFault } from "../analysis/provider/faults.ts";
import { findModelAnswers, findProvider, storeModelAnswers } from "../analysis/provider/queries.ts";
import { DeferredResponse } from "../core/responses.ts";
import type { Db } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { findQuestions } from "../feedback/questions.ts";
import { requireGame, toGame } from "../games/queries.ts";
import type { QuestionsByTag } from "../insights/describe-tag.ts";
import { findStrongestEvidence } from "../insights/evidence-queries.ts";
import { buildExists } from "../sessions/rollup-queries.ts";
import { type BuildFriction, readBuildFriction } from "./queries.ts";
import {
  askForSuggestions,
  hashQuestion,
  MAX_EVIDENCE_PER_TAG,
  MAX_TAGS,
  type Suggestions,
  type SuggestionTarget,
  suggestByRules,
} from "./suggestions.ts";

export const handleGetBuildSuggestions: Handler<typeof getBuildSuggestions> = async (input, call) => {
  const { db, accountId, service } = call;
  const game = await requireGame(db, accountId, input.game);
  const { a, b = input.build ?? "", env: environment = DEFAULT_ENV } = input;
  for (const version of a === undefined ? [b] : [a, b]) {
    if (!(await buildExists(db, game.id, version))) throw new HttpError("not_found");
  }
  const provider = await findProvider(db, accountId, "chat");
  if (!provider) throw new HttpError("payment_required", { extra: { requiresPremium: true } });
  const targets = await findTargets(db, game.id, { a, b, environment });
  const mode = a === undefined ? ("single-build" as const) : ("compare-diff" as const);
  const hash = hashQuestion(provider, mode, targets);
  const cached = targets.length === 0 ? undefined : (await findModelAnswers(db, game.id, [hash])).get(hash);
  const questions = await findQuestions(db, game.id);
  const common = { ok: true, mode, game: toGame(game), environment, ...(a === undefined ? {} : { a, b }) };
  return new DeferredResponse(async () => ({
    ...common,
    ...(cached === undefined
      ? await suggest(
          service,
          game.id,
          hash,
          () => askForSuggestions(provider, mode, targets, service.stopping),
          targets,
          questions,
        )
      : { suggestions: JSON.parse(cached) as Suggestion[], source: "ai" as const }),
    emptyInput: targets.length === 0,
  }));
};

/** Asks the model and caches its suggestions. If that fails or the response is rejected, the rules write them. */
async function suggest(
  service: Service,
  gameId: string,
  hash: string,
  askModel: () => Promise<Suggestion[] | null>,
  targets: readonly SuggestionTarget[],
  questions: QuestionsByTag,
): Promise<Suggestions> {
  if (targets.length === 0) return { suggestions: [], source: "fallback" };
  try {
    const suggestions = await askModel();
    if (suggestions !== null) {
      const row = { game_id: gameId, hash, answer: JSON.stringify(suggestions), created_at: service.now() };
      await storeModelAnswers(service.store.writeDb, [row]);
      return { suggestions, source: "ai" };
    }
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
  }
  return { suggestions: suggestByRules(targets, questions), source: "fallback" };
}

/** The tags to write suggestions for: the most common ones, and in a comparison only those that did not improve. */
async function findTargets(
  db: Db,
  gameId: string,
  { a, b, environment }: { a: string | undefined; b: string; environment: string },
): Promise<SuggestionTarget[]> {
  const after = await readBuildFriction(db, gameId, b, environment);
  const tags =
    a === undefined ? null : findUnresolvedTags(await readBuildFriction(db, gameId, a, environment), after);
  const rows = after.byTag
    .filter(({ tag }) => tags === null || tags.has(tag))
    .toSorted((x, y) => y.testers - x.testers || y.insights - x.insights || (x.tag < y.tag ? -1 : 1))
    .slice(0, MAX_TAGS);
  const targets: SuggestionTarget[] = [];
  for (const { tag, testers } of rows) {
    const evidence = await findStrongestEvidence(
      db,
      { gameId, build: b, environment, tag },
      MAX_EVIDENCE_PER_TAG,
    );
    targets.push({ tag, testersWithTag: testers, testersInBatch: after.testers, evidence });
  }
  return targets;
}

function findUnresolvedTags(before: BuildFriction, after: BuildFriction): Set<string> {
  const { changes } = diffFriction(before, after);
  const unresolved = changes.filter(({ kind }) => kind !== "resolved" && kind !== "got_smaller");
  return new Set(unresolved.map(({ tag }) => tag));
}
