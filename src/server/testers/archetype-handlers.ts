/** Archetypes: a game's testers with summaries, embedded by the account's model and grouped. */
import {
  type Archetype,
  type getTesterArchetypes,
  MIN_ARCHETYPE_TESTERS,
  type TesterArchetypes,
} from "../../contract/archetypes.ts";
import { DEFAULT_ENV } from "../../contract/fields.ts";
import type { Handler } from "../accounts/handler.ts";
import { embeddingHash, embedTexts } from "../analysis/provider/embeddings.ts";
import { ProviderFault } from "../analysis/provider/faults.ts";
import { findChatModel } from "../analysis/provider/model.ts";
import { getPauseReason, pauseModel } from "../analysis/provider/pauses.ts";
import {
  findEmbeddings,
  findModelAnswers,
  findProvider,
  storeEmbeddings,
  storeModelAnswers,
} from "../analysis/provider/queries.ts";
import { DeferredResponse } from "../core/responses.ts";
import type { Db, ProviderRow, SuggestionAnswerRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { findQuestions } from "../feedback/questions.ts";
import { requireGame } from "../games/queries.ts";
import type { QuestionsByTag } from "../insights/describe-tag.ts";
import { askForLabels, labelHash, MAX_LABELLED } from "./archetype-labels.ts";
import { findFrictionByTester, findSummarizedTesters, sumPlayTimeByDevice } from "./archetype-queries.ts";
import { type ArchetypeTester, groupIntoArchetypes, withUniqueLabels } from "./archetypes.ts";
import { findHandlesByDevice } from "./journey-queries.ts";

/** Testers that are grouped at most, by device: each may be one more text to send. */
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
  const kept = await findEmbeddings(db, accountId, hashes);
  const questions = await findQuestions(db, game.id);
  const chat = await findChatModel(db, accountId);
  return new DeferredResponse(async () => {
    const made = await groupTesters(service, provider, testers, kept, questions);
    return { ...common, ...made, archetypes: await labelArchetypes(service, game.id, chat, made.archetypes) };
  });
};

async function readArchetypeTesters(db: Db, gameId: string, env: string): Promise<ArchetypeTester[]> {
  const testers = await findSummarizedTesters(db, gameId, env, MAX_TESTERS);
  const deviceIds = testers.map(({ deviceId }) => deviceId);
  const handles = await findHandlesByDevice(db, gameId, deviceIds);
  const play = await sumPlayTimeByDevice(db, gameId, env, deviceIds);
  const tags = await findFrictionByTester(db, gameId, env);
  return testers.map(({ deviceId, narrative }) => ({
    deviceId,
    narrative,
    handle: handles.get(deviceId) ?? null,
    ...(play.get(deviceId) ?? { sessions: 0, activeMs: 0 }),
    tags: tags.get(deviceId) ?? [],
  }));
}

async function groupTesters(
  service: Service,
  provider: ProviderRow,
  testers: readonly ArchetypeTester[],
  kept: ReadonlyMap<string, Uint8Array>,
  questions: QuestionsByTag,
): Promise<Pick<TesterArchetypes, "archetypes" | "reason">> {
  try {
    const texts = testers.map(({ narrative }) => narrative);
    const { vectors, fresh } = await embedTexts(provider, texts, kept, service.stopping);
    const common = { account_id: provider.account_id, created_at: service.now() };
    const rows = fresh.map((one) => ({ ...common, ...one }));
    if (rows.length > 0) {
      await service.store.write((db) => storeEmbeddings(db, rows));
    }
    return { archetypes: groupIntoArchetypes(testers, vectors, questions) };
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    return { archetypes: [], reason: "api_error" };
  }
}

/** The archetypes with the chat model's labels, kept ones and those it is asked for; the rules' where it gives none. */
async function labelArchetypes(
  service: Service,
  gameId: string,
  chat: ProviderRow | null,
  archetypes: Archetype[],
): Promise<Archetype[]> {
  if (!chat) return archetypes;
  const hashes = archetypes.slice(0, MAX_LABELLED).map((one) => labelHash(chat, one));
  const kept = await findModelAnswers(service.store.readDb, gameId, hashes);
  const missing = archetypes.filter((_, at) => !kept.has(hashes[at] ?? "") && at < hashes.length);
  for (const { hash, answer } of await requestLabels(service, gameId, chat, missing)) kept.set(hash, answer);
  return withUniqueLabels(
    archetypes.map((one, at) => {
      const label = kept.get(hashes[at] ?? "");
      return label === undefined ? one : { ...one, label: JSON.parse(label) as string };
    }),
  );
}

/** The labels that the model gives, once they are kept; none where it fails, does not hold or is left alone for now. */
async function requestLabels(
  service: Service,
  gameId: string,
  chat: ProviderRow,
  archetypes: readonly Archetype[],
): Promise<SuggestionAnswerRow[]> {
  if (archetypes.length === 0 || getPauseReason(service, chat.account_id) !== null) return [];
  try {
    const labels = (await askForLabels(chat, archetypes, service.stopping)) ?? [];
    const common = { game_id: gameId, created_at: service.now() };
    const rows = archetypes.flatMap((one, at) =>
      labels[at] === undefined
        ? []
        : [{ ...common, hash: labelHash(chat, one), answer: JSON.stringify(labels[at]) }],
    );
    if (rows.length > 0) await service.store.write((db) => storeModelAnswers(db, rows));
    return rows;
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    pauseModel(service, chat.account_id, error.reason);
    return [];
  }
}
