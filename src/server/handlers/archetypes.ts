/** Archetypes: a game's testers with summaries, embedded by the account's model and grouped. */
import {
  type getTesterArchetypes,
  MIN_ARCHETYPE_TESTERS,
  type TesterArchetypes,
} from "../../contract/archetypes.ts";
import { DEFAULT_ENV } from "../../contract/fields.ts";
import { embeddingHash, embedTexts } from "../analysis/provider/embeddings.ts";
import { ProviderFault } from "../analysis/provider/provider.ts";
import { type ArchetypeTester, archetypesOf } from "../archetypes.ts";
import type { Db, ProviderRow } from "../db/schema.ts";
import { Later } from "../json.ts";
import { frictionOfTesters, playOfDevices, summarizedTesters } from "../queries/archetypes.ts";
import { requireGame } from "../queries/games.ts";
import { handlesOfDevices } from "../queries/journeys.ts";
import { embeddingsOf, findProvider, putEmbeddings } from "../queries/providers.ts";
import type { Service } from "../service.ts";
import type { Handler } from "./handler.ts";

/** Testers that are grouped at most, by device: each may be one more text to send. */
const MAX_TESTERS = 1000;

export const handleGetTesterArchetypes: Handler<typeof getTesterArchetypes> = async (input, call) => {
  const { db, accountId, service } = call;
  const game = await requireGame(db, accountId, input.game);
  const provider = await findProvider(db, accountId, "embedding");
  if (!provider) return { archetypes: [], testerCount: 0, modelId: "", reason: "requires_byo_key" };
  const testers = await testersOf(db, game.id, input.env ?? DEFAULT_ENV);
  const common = { archetypes: [], testerCount: testers.length, modelId: provider.model };
  if (testers.length < MIN_ARCHETYPE_TESTERS) return { ...common, reason: "insufficient_data" };
  const hashes = testers.map(({ narrative }) => embeddingHash(provider, narrative));
  const kept = await embeddingsOf(db, accountId, hashes);
  return new Later(async () => ({ ...common, ...(await grouped(service, provider, testers, kept)) }));
};

async function testersOf(db: Db, gameId: string, env: string): Promise<ArchetypeTester[]> {
  const testers = await summarizedTesters(db, gameId, env, MAX_TESTERS);
  const deviceIds = testers.map(({ deviceId }) => deviceId);
  const handles = await handlesOfDevices(db, gameId, deviceIds);
  const play = await playOfDevices(db, gameId, env, deviceIds);
  const tags = await frictionOfTesters(db, gameId, env);
  return testers.map(({ deviceId, narrative }) => ({
    deviceId,
    narrative,
    handle: handles.get(deviceId) ?? null,
    ...(play.get(deviceId) ?? { sessions: 0, activeMs: 0 }),
    tags: tags.get(deviceId) ?? [],
  }));
}

async function grouped(
  service: Service,
  provider: ProviderRow,
  testers: readonly ArchetypeTester[],
  kept: ReadonlyMap<string, Uint8Array>,
): Promise<Pick<TesterArchetypes, "archetypes" | "reason">> {
  try {
    const texts = testers.map(({ narrative }) => narrative);
    const { vectors, fresh } = await embedTexts(provider, texts, kept);
    const common = { account_id: provider.account_id, created_at: service.now() };
    const rows = fresh.map((one) => ({ ...common, ...one }));
    if (rows.length > 0) {
      await service.store.write.transaction().execute((db) => putEmbeddings(db, rows));
    }
    return { archetypes: archetypesOf(testers, vectors) };
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    return { archetypes: [], reason: "api_error" };
  }
}
