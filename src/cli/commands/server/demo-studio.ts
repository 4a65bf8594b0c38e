/**
 * Seeds everything in the demo studio except its sessions: feedback, playtest keys, tester handles, recordings, chat
 * threads and experiments. Uses the same functions as the service.
 */
import type { Variant } from "../../../contract/experiments.ts";
import {
  type CohortSession,
  demoAnswers,
  demoBatches,
  demoCohort,
  demoEventFlags,
  demoExperiment,
  demoForms,
  demoThreads,
} from "../../../demo/index.ts";
import { builtinProvider } from "../../../server/analysis/provider/builtin.ts";
import { findProvider, storeProvider } from "../../../server/analysis/provider/provider-queries.ts";
import type { GameRow } from "../../../server/db/schema.ts";
import { computeBucket, findVariantKey } from "../../../server/experiments/bucketing.ts";
import { generateDigest } from "../../../server/experiments/digest.ts";
import { requireExperiment } from "../../../server/experiments/experiment-queries.ts";
import {
  createAudience,
  createExperiment,
  declareWinner,
  startExperiment,
  stopExperiment,
} from "../../../server/experiments/lifecycle.ts";
import { createForm } from "../../../server/feedback/forms.ts";
import { submitAnswers } from "../../../server/feedback/submissions.ts";
import { addSession, failTranscription } from "../../../server/sessions/sessions.ts";
import { recordThreadCall } from "../../../server/sessions/webhook-handlers.ts";
import { putEventConfig } from "../../../server/telemetry/event-config-queries.ts";
import { SOURCES } from "../../../shared/session-sources.ts";
import { DAY_MS } from "../../../shared/time-units.ts";
import { seedBatch } from "./demo-batches.ts";
import { createDemoService, ingestBodies, type SeededSession } from "./demo-sessions.ts";
import type { LocalService } from "./local.ts";

/** The experiments that get digests after the analysis. */
interface SeededExperiments {
  readonly running: string;
  readonly stopped: string;
}

/** Sets up the studio of a game after its sessions were ingested. */
export async function setUpStudio(
  local: LocalService,
  game: GameRow,
  sessions: readonly SeededSession[],
): Promise<SeededExperiments> {
  const gameSessions = sessions.filter((session) => session.game === game.slug);
  await setEventFlags(local, game);
  await answerForms(local, game, gameSessions);
  for (const batch of demoBatches) await seedBatch(local, game, batch, gameSessions);
  await addRecordings(local, game);
  await openThreads(local, game);
  await useBuiltinProvider(local);
  return await runExperiments(local, game);
}

async function setEventFlags({ service }: LocalService, game: GameRow): Promise<void> {
  for (const { name, sdkIgnore, linkToSummary, hideFromAi } of demoEventFlags) {
    await putEventConfig(service.store.writeDb, {
      game_id: game.id,
      name,
      sdk_ignore: Number(sdkIgnore),
      link_to_summary: Number(linkToSummary),
      hide_from_ai: Number(hideFromAi),
      meaning: null,
      sample_rate: null,
    });
  }
}

async function answerForms(
  { service, accountId }: LocalService,
  game: GameRow,
  sessions: readonly SeededSession[],
): Promise<void> {
  const createdAt = service.now() - 25 * DAY_MS;
  const formService = createDemoService(service, "forms", () => createdAt);
  const forms = [];
  for (const form of demoForms)
    forms.push(await createForm(service.store.writeDb, formService, game.id, form));
  const [form] = forms;
  if (!form) return;
  let now = createdAt;
  const answerService = createDemoService(service, "answers", () => now);
  for (const { id, clientSessionId, failures, endedAt } of sessions) {
    const responses = demoAnswers(clientSessionId, failures);
    if (!responses) continue;
    now = endedAt;
    const body = { requestId: `demo-${clientSessionId}`, formId: form.id, sessionId: id, responses };
    await submitAnswers(answerService, { accountId, boundGameId: null }, body, null);
  }
}

/** Adds a recording that is waiting for its transcript, one whose transcription failed, and one with a transcript. */
async function addRecordings({ service }: LocalService, game: GameRow): Promise<void> {
  const db = service.store.writeDb;
  const now = service.now();
  const demoService = createDemoService(service, "recordings", () => now);
  const common = { build: "0.9.0", platform: "windows", environment: "lab" };
  await addSession(db, demoService, game, {
    ...common,
    source: SOURCES.obs,
    status: "transcribing",
    title: "Playtest evening, second table",
    recordedAt: now - 2 * DAY_MS,
  });
  const failed = await addSession(db, demoService, game, {
    ...common,
    source: SOURCES.obs,
    status: "transcribing",
    title: "Playtest evening, no sound",
    recordedAt: now - 2.1 * DAY_MS,
  });
  await failTranscription(db, failed, now);
  await addSession(db, demoService, game, {
    ...common,
    source: SOURCES.manual,
    status: "pending",
    title: "Notes of the playtest evening",
    transcript: "Three of four asked where to go after the furnace. Everybody liked the lanterns.",
    recordedAt: now - 2 * DAY_MS,
  });
}

/** Opens the chat threads, and repeats the call for threads that continued. */
async function openThreads({ service, accountId }: LocalService, game: GameRow): Promise<void> {
  const now = service.now();
  let calledAt = now;
  const demoService = createDemoService(service, "threads", () => calledAt);
  for (const { openedDaysAgo, laterCallsMin, ...thread } of demoThreads) {
    for (const minutes of [0, ...laterCallsMin]) {
      calledAt = Math.round(now - openedDaysAgo * DAY_MS + minutes * 60_000);
      await recordThreadCall(demoService, accountId, { game: game.id, ...thread });
    }
  }
}

const HANDHELD = "steamdeck";

async function runExperiments(local: LocalService, game: GameRow): Promise<SeededExperiments> {
  const { service, accountId } = local;
  const db = service.store.writeDb;
  const started = service.now() - demoExperiment.startsDaysAgo * DAY_MS;
  const demoService = createDemoService(service, "experiments", () => started);
  const find = (id: string) => requireExperiment(db, accountId, id);
  const variants = [...demoExperiment.variants];
  const running = await createExperiment(db, demoService, game, {
    name: demoExperiment.name,
    variants,
    audienceId: null,
  });
  await startExperiment(db, await find(running.id), started);
  const audienceInput = {
    name: "Handhelds",
    predicates: [{ field: "platform" as const, op: "in" as const, values: [HANDHELD] }],
  };
  const audience = await createAudience(db, demoService, game, audienceInput);
  const textVariants = [
    { key: "usual", name: "As before", allocation: 50 },
    { key: "large", name: "Larger text", allocation: 50 },
  ];
  const stopped = await createExperiment(db, demoService, game, {
    name: "Larger text on handhelds",
    variants: textVariants,
    audienceId: audience.id,
  });
  await startExperiment(db, await find(stopped.id), started);
  const stoppedAt = started + 10 * DAY_MS;
  const findTags = ({ deviceId, platform, startedAt }: CohortSession) => ({
    ...tagWith(running.id, variants, deviceId),
    ...(platform === HANDHELD && startedAt < stoppedAt ? tagWith(stopped.id, textVariants, deviceId) : {}),
  });
  const tagWith = (id: string, of: readonly Variant[], deviceId: string) => {
    const key = findVariantKey(of, computeBucket(id, game.id, deviceId));
    return key === null ? {} : { [id]: key };
  };
  await ingestBodies(local, demoCohort(service.now(), running.id, findTags));
  await stopExperiment(db, await find(stopped.id), stoppedAt);
  await declareWinner(db, demoService, await find(stopped.id), "large");
  await createExperiment(db, demoService, game, {
    name: "Shorter bridge",
    variants: [
      { key: "usual", name: "As before", allocation: 50 },
      { key: "short", name: "Half as long", allocation: 50 },
    ],
    audienceId: null,
  });
  return { running: running.id, stopped: stopped.id };
}

/** A model that cannot be reached: nothing listens on port 1. */
const unreachableProvider = {
  base_url: "http://127.0.0.1:1/v1",
  model: "none",
  api_key: "",
  timeout_ms: 1000,
};

/** Generates what depends on the analysis: a digest by rules, and a degraded digest whose model cannot be reached. */
export async function finishStudio(
  { service, accountId }: LocalService,
  experiments: SeededExperiments,
): Promise<void> {
  const db = service.store.writeDb;
  const now = service.now();
  const find = (id: string) => requireExperiment(db, accountId, id);
  await generateDigest(db, await find(experiments.running), now);
  await generateDigest(db, await find(experiments.stopped), now, unreachableProvider);
}

/**
 * Sets the built-in provider, which needs no network, so that archetypes and suggestions are available. Providers that the
 * user has configured are not replaced.
 */
async function useBuiltinProvider({ service, accountId: account_id }: LocalService): Promise<void> {
  const db = service.store.writeDb;
  for (const kind of ["chat", "embedding"] as const) {
    if (await findProvider(db, account_id, kind)) continue;
    await storeProvider(db, { ...builtinProvider, account_id, kind, updated_at: service.now() });
  }
}
