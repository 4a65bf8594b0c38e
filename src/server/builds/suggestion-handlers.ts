/** Suggestions for the unresolved friction tags of a build, written by the account's AI model or by rules. */
import { HttpError } from "../../contract/errors.ts";
import { DEFAULT_ENV } from "../../contract/fields.ts";
import type { FallbackReason, getBuildSuggestions, Suggestion } from "../../contract/suggestions.ts";
import type { Handler } from "../accounts/handler.ts";
import { BUILTIN } from "../analysis/provider/builtin.ts";
import { isProviderFault, ProviderFault } from "../analysis/provider/faults.ts";
import { limitModel } from "../analysis/provider/limit-model.ts";
import { findModelAnswers, findProvider, storeModelAnswers } from "../analysis/provider/provider-queries.ts";
import { DeferredResponse } from "../core/responses.ts";
import type { Service } from "../db/service.ts";
import { findQuestions } from "../feedback/form-queries.ts";
import { requireGame, toGame } from "../games/game-queries.ts";
import { requireKnownScope } from "../games/scope-queries.ts";
import type { QuestionsByTag } from "../insights/describe-tag.ts";
import { findTargetsTask, type SuggestionTarget } from "./suggestion-targets.ts";
import {
  askForSuggestions,
  hashQuestion,
  orderByTarget,
  type Suggestions,
  suggestByRules,
} from "./suggestions.ts";

export const handleGetBuildSuggestions: Handler<typeof getBuildSuggestions> = async (input, call) => {
  const { db, accountId, service } = call;
  const game = await requireGame(db, accountId, input.game);
  const { a, b = input.build ?? "", env: environment = DEFAULT_ENV } = input;
  for (const build of a === undefined ? [b] : [a, b]) await requireKnownScope(db, game.id, { build });
  const provider = await findProvider(db, accountId, "chat");
  if (!provider && input.fallback === undefined)
    throw new HttpError("payment_required", { extra: { requiresPremium: true } });
  const mode = a === undefined ? ("single-build" as const) : ("compare-diff" as const);
  const questions = await findQuestions(db, game.id);
  const common = { ok: true, mode, game: toGame(game), environment, ...(a === undefined ? {} : { a, b }) };
  // No other request waits for the transaction of this one.
  return new DeferredResponse(async () => {
    const targets = await service.work.run(findTargetsTask, { gameId: game.id, a, b, environment });
    const emptyInput = targets.length === 0;
    // The built-in provider has no chat model.
    if (!provider || provider.base_url === BUILTIN || emptyInput)
      return { ...common, ...writeByRules(targets, questions, "no-model"), emptyInput };
    const hash = hashQuestion(provider, mode, targets);
    const cached = (await findModelAnswers(service.store.readDb, game.id, [hash])).get(hash);
    if (cached !== undefined) {
      const answer = JSON.parse(cached) as Suggestion[];
      return { ...common, suggestions: orderByTarget(answer, targets), source: "ai" as const, emptyInput };
    }
    const askModel = () => askForSuggestions(limitModel(service, provider), mode, targets, service.stopping);
    return {
      ...common,
      ...(await suggest(service, game.id, { hash, askModel, targets, questions })),
      emptyInput,
    };
  });
};

/** The suggestions of the rules, and why a model did not write them. */
function writeByRules(
  targets: readonly SuggestionTarget[],
  questions: QuestionsByTag,
  fallbackReason: FallbackReason,
): Suggestions {
  if (targets.length === 0) return { suggestions: [], source: "fallback" };
  return { suggestions: suggestByRules(targets, questions), source: "fallback", fallbackReason };
}

interface SuggestionQuestion {
  readonly hash: string;
  readonly askModel: () => Promise<Suggestion[] | null>;
  readonly targets: readonly SuggestionTarget[];
  readonly questions: QuestionsByTag;
}

/** Why rules write the suggestions after a failed request to a model. */
function explainFault({
  reason,
  status,
}: ProviderFault): Pick<Suggestions, "fallbackReason" | "providerStatus"> {
  if (reason === "budget") return { fallbackReason: "budget-spent" };
  if (!isProviderFault(reason)) return { fallbackReason: "unusable-answer" };
  return { fallbackReason: "provider-error", ...(status === null ? {} : { providerStatus: status }) };
}

/** Asks the model and caches its suggestions. If that fails or the response is rejected, the rules write them. */
async function suggest(
  service: Service,
  gameId: string,
  { hash, askModel, targets, questions }: SuggestionQuestion,
): Promise<Suggestions> {
  try {
    const answer = await askModel();
    if (answer !== null) {
      const row = { game_id: gameId, hash, answer: JSON.stringify(answer), created_at: service.now() };
      await storeModelAnswers(service.store.writeDb, [row]);
      return { suggestions: orderByTarget(answer, targets), source: "ai" };
    }
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    return { ...writeByRules(targets, questions, "unusable-answer"), ...explainFault(error) };
  }
  return writeByRules(targets, questions, "unusable-answer");
}
