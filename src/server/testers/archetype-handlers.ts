/** Archetypes: the testers of a game, grouped by the embeddings of their summaries. */
import {
  type Archetype,
  type getTesterArchetypes,
  MIN_ARCHETYPE_TESTERS,
  type TesterArchetypes,
} from "../../contract/archetypes.ts";
import { DEFAULT_ENV } from "../../contract/fields.ts";
import type { Handler } from "../accounts/handler.ts";
import { embeddingHash, embedTexts } from "../analysis/provider/embeddings.ts";
import { getPauseReason, ProviderFault, pauseModel } from "../analysis/provider/faults.ts";
import { type LimitedModel, limitModel } from "../analysis/provider/limit-model.ts";
import {
  findChatModel,
  findEmbeddings,
  findModelAnswers,
  findProvider,
  storeEmbeddings,
  storeModelAnswers,
} from "../analysis/provider/provider-queries.ts";
import { DeferredResponse } from "../core/responses.ts";
import type { Db, SuggestionAnswerRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { findQuestions } from "../feedback/form-queries.ts";
import { requireGame } from "../games/game-queries.ts";
import { findHandlesByDevice } from "../ids/tester-queries.ts";
import type { QuestionsByTag } from "../insights/describe-tag.ts";
import { askForLabels, labelHash, MAX_LABELED } from "./archetype-labels.ts";
import { findFrictionByTester, findSummarizedTesters, sumPlayTimeByDevice } from "./archetype-queries.ts";
import { type ArchetypeTester, groupIntoArchetypes, withUniqueLabels } from "./archetypes.ts";

/** Maximum number of testers to group. Each one may require sending a text to the embedding model. */
const MAX_TESTERS = 1000;

export const handleGetTesterArchetypes: Handler<typeof getTesterArchetypes> = async (input, call) => {
  const { db, accountId, service } = call;
  const game = await requireGame(db, accountId, input.game);
  const provider = await findProvider(db, accountId, "embedding");
  if (!provider) return { archetypes: [], testerCount: 0, modelId: "", reason: "requires_byo_key" };
  const testers = await readArchetypeTesters(db, game.id, input.env ?? DEFAULT_ENV);
  const common = { archetypes: [], testerCount: testers.length, modelId: provider.model };
  if (testers.length < MIN_ARCHETYPE_TESTERS) return { ...common, reason: "insufficient_data" };
  const hashes = testers.map(({ narrative }) => embeddingHash(provider, narrative));
  const cached = await findEmbeddings(db, accountId, hashes);
  const questions = await findQuestions(db, game.id);
  const chatModel = await findChatModel(db, accountId);
  const chat = chatModel && limitModel(service, chatModel);
  return new DeferredResponse(async () => {
    const grouped = await groupTesters(service, limitModel(service, provider), testers, cached, questions);
    return {
      ...common,
      ...grouped,
      archetypes: await labelArchetypes(service, game.id, chat, grouped.archetypes),
    };
  });
};

async function readArchetypeTesters(db: Db, gameId: string, env: string): Promise<ArchetypeTester[]> {
  const testers = await findSummarizedTesters(db, gameId, env, MAX_TESTERS);
  const deviceIds = testers.map(({ deviceId }) => deviceId);
  const handles = await findHandlesByDevice(db, gameId, deviceIds);
  const playTimes = await sumPlayTimeByDevice(db, gameId, env, deviceIds);
  const tags = await findFrictionByTester(db, gameId, env);
  return testers.map(({ deviceId, narrative }) => ({
    deviceId,
    narrative,
    handle: handles.get(deviceId) ?? null,
    ...(playTimes.get(deviceId) ?? { sessions: 0, activeMs: 0 }),
    tags: tags.get(deviceId) ?? [],
  }));
}

async function groupTesters(
  service: Service,
  provider: LimitedModel,
  testers: readonly ArchetypeTester[],
  cached: ReadonlyMap<string, Uint8Array>,
  questions: QuestionsByTag,
): Promise<Pick<TesterArchetypes, "archetypes" | "reason">> {
  try {
    const texts = testers.map(({ narrative }) => narrative);
    const { vectors, fresh } = await embedTexts(provider, texts, cached, service.stopping);
    const common = { account_id: provider.account_id, created_at: service.now() };
    const rows = fresh.map((embedding) => ({ ...common, ...embedding }));
    if (rows.length > 0) {
      await service.store.write((db) => storeEmbeddings(db, rows));
    }
    return { archetypes: groupIntoArchetypes(testers, vectors, questions) };
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    return { archetypes: [], reason: "api_error" };
  }
}

/**
 * Labels archetypes with the chat model or from its cached labels. If there is no label, the label of the rules
 * remains.
 */
async function labelArchetypes(
  service: Service,
  gameId: string,
  chat: LimitedModel | null,
  archetypes: Archetype[],
): Promise<Archetype[]> {
  if (!chat) return archetypes;
  const hashes = archetypes.slice(0, MAX_LABELED).map((archetype) => labelHash(chat, archetype));
  const labelsByHash = await findModelAnswers(service.store.readDb, gameId, hashes);
  const missing = archetypes.filter((_, at) => !labelsByHash.has(hashes[at] ?? "") && at < hashes.length);
  for (const { hash, answer } of await requestLabels(service, gameId, chat, missing))
    labelsByHash.set(hash, answer);
  return withUniqueLabels(
    archetypes.map((archetype, at) => {
      const label = labelsByHash.get(hashes[at] ?? "");
      return label === undefined ? archetype : { ...archetype, label: JSON.parse(label) as string };
    }),
  );
}

/**
 * Requests labels from the model and stores them. Returns none if the model fails, is paused or its response is
 * rejected.
 */
async function requestLabels(
  service: Service,
  gameId: string,
  chat: LimitedModel,
  archetypes: readonly Archetype[],
): Promise<SuggestionAnswerRow[]> {
  if (archetypes.length === 0 || getPauseReason(service, chat.account_id) !== null) return [];
  try {
    const labels = (await askForLabels(chat, archetypes, service.stopping)) ?? [];
    const common = { game_id: gameId, created_at: service.now() };
    const rows = archetypes.flatMap((archetype, at) =>
      labels[at] === undefined
        ? []
        : [{ ...common, hash: labelHash(chat, archetype), answer: JSON.stringify(labels[at]) }],
    );
    if (rows.length > 0) await service.store.write((db) => storeModelAnswers(db, rows));
    return rows;
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    pauseModel(service, chat.account_id, error.reason);
    return [];
  }
}
