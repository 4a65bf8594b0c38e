/** What the demo studio has beside its play: answers, keys, handles, recordings, threads and experiments; made as a studio makes them. */

import { DEFAULT_ENV } from "../../../contract/fields.ts";
import {
  demoAnswers,
  demoBatches,
  demoCohort,
  demoEventFlags,
  demoExperiment,
  demoForms,
  demoThreads,
} from "../../../demo/index.ts";
import { builtinProvider } from "../../../server/analysis/provider/builtin.ts";
import { storeProvider } from "../../../server/analysis/provider/queries.ts";
import { writeSummaries } from "../../../server/builds/summaries.ts";
import { findSubjects, readSubjectFacts, storeSummary } from "../../../server/builds/summary-queries.ts";
import type { GameRow } from "../../../server/db/schema.ts";
import { computeBucket, findVariantKey } from "../../../server/experiments/bucketing.ts";
import { generateDigest } from "../../../server/experiments/digest.ts";
import {
  createAudience,
  createExperiment,
  declareWinner,
  startExperiment,
  stopExperiment,
} from "../../../server/experiments/lifecycle.ts";
import { requireExperiment } from "../../../server/experiments/queries.ts";
import { createForm } from "../../../server/feedback/forms.ts";
import { findQuestions } from "../../../server/feedback/questions.ts";
import { submitAnswers } from "../../../server/feedback/submissions.ts";
import { recordThreadCall } from "../../../server/sessions/chat-threads.ts";
import { addSession, failTranscription } from "../../../server/sessions/sessions.ts";
import { putEventConfig } from "../../../server/telemetry/event-config-queries.ts";
import { SOURCES } from "../../../shared/session-sources.ts";
import { DAY_MS } from "../../../shared/time-units.ts";
import { seedBatch } from "./demo-batches.ts";
import { createDemoService, ingestBodies, type SeededSession } from "./demo-sessions.ts";
import type { LocalService } from "./local.ts";

/** The experiments that are given digests once all is analysed. */
export interface SeededExperiments {
  readonly running: string;
  readonly stopped: string;
}

/** Sets up the studio of a game whose play is in. */
export async function setUpStudio(
  local: LocalService,
  game: GameRow,
  sessions: readonly SeededSession[],
): Promise<SeededExperiments> {
  const own = sessions.filter((session) => session.game === game.slug);
  await setEventFlags(local, game);
  await answerForms(local, game, own);
  for (const batch of demoBatches) await seedBatch(local, game, batch, own);
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
    });
  }
}

async function answerForms(
  { service, accountId }: LocalService,
  game: GameRow,
  sessions: readonly SeededSession[],
): Promise<void> {
  const made = service.now() - 25 * DAY_MS;
  const making = createDemoService(service, "forms", () => made);
  const forms = [];
  for (const form of demoForms) forms.push(await createForm(service.store.writeDb, making, game.id, form));
  const [form] = forms;
  if (!form) return;
  let at = made;
  const answering = createDemoService(service, "answers", () => at);
  for (const { id, clientSessionId, failures, endedAt } of sessions) {
    const responses = demoAnswers(clientSessionId, failures);
    if (!responses) continue;
    at = endedAt;
    const body = { requestId: `demo-${clientSessionId}`, formId: form.id, sessionId: id, responses };
    await submitAnswers(answering, { accountId, boundGameId: null }, body);
  }
}

/** A recording that waits for its transcript, one that could not be transcribed, and one that could. */
async function addRecordings({ service }: LocalService, game: GameRow): Promise<void> {
  const db = service.store.writeDb;
  const now = service.now();
  const making = createDemoService(service, "recordings", () => now);
  const about = { build: "0.9.0", platform: "windows", environment: "lab" };
  await addSession(db, making, game, {
    ...about,
    source: SOURCES.obs,
    status: "transcribing",
    title: "Playtest evening, second table",
    recordedAt: now - 2 * DAY_MS,
  });
  const lost = await addSession(db, making, game, {
    ...about,
    source: SOURCES.obs,
    status: "transcribing",
    title: "Playtest evening, no sound",
    recordedAt: now - 2.1 * DAY_MS,
  });
  await failTranscription(db, lost);
  await addSession(db, making, game, {
    ...about,
    source: SOURCES.manual,
    status: "pending",
    title: "Notes of the playtest evening",
    transcript: "Three of four asked where to go after the furnace. Everybody liked the lanterns.",
    recordedAt: now - 2 * DAY_MS,
  });
}

/** Opens the chat threads, and goes on with those whose talk went on. */
async function openThreads({ service, accountId }: LocalService, game: GameRow): Promise<void> {
  const now = service.now();
  let at = now;
  const calling = createDemoService(service, "threads", () => at);
  for (const { openedDaysAgo, goesOnAfterMin, ...thread } of demoThreads) {
    for (const minutes of [0, ...goesOnAfterMin]) {
      at = Math.round(now - openedDaysAgo * DAY_MS + minutes * 60_000);
      await recordThreadCall(calling, accountId, { game: game.id, ...thread });
    }
  }
}

async function runExperiments(local: LocalService, game: GameRow): Promise<SeededExperiments> {
  const { service, accountId } = local;
  const db = service.store.writeDb;
  const started = service.now() - demoExperiment.startsDaysAgo * DAY_MS;
  const making = createDemoService(service, "experiments", () => started);
  const find = (id: string) => requireExperiment(db, accountId, id);
  const variants = [...demoExperiment.variants];
  const running = await createExperiment(db, making, game, {
    name: demoExperiment.name,
    variants,
    audienceId: null,
  });
  await startExperiment(db, await find(running.id), started);
  const variantOf = (deviceId: string) =>
    findVariantKey(variants, computeBucket(running.id, game.id, deviceId));
  await ingestBodies(local, demoCohort(service.now(), running.id, variantOf), "cohort");
  const decks = {
    name: "Handhelds",
    predicates: [{ field: "platform" as const, op: "in" as const, values: ["steamdeck"] }],
  };
  const audience = await createAudience(db, making, game, decks);
  const stopped = await createExperiment(db, making, game, {
    name: "Larger text on handhelds",
    variants: [
      { key: "usual", name: "As before", allocation: 50 },
      { key: "large", name: "Larger text", allocation: 50 },
    ],
    audienceId: audience.id,
  });
  await startExperiment(db, await find(stopped.id), started);
  await stopExperiment(db, await find(stopped.id), started + 10 * DAY_MS);
  await declareWinner(db, await find(stopped.id), "large");
  await createExperiment(db, making, game, {
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

/** Writes what needs the analysis: summaries and a digest by rules, and a digest that a model was to write, in vain. */
export async function finishStudio(
  { service, accountId }: LocalService,
  game: GameRow,
  experiments: SeededExperiments,
): Promise<void> {
  const db = service.store.writeDb;
  const now = service.now();
  const find = (id: string) => requireExperiment(db, accountId, id);
  await generateDigest(db, await find(experiments.running), now);
  await generateDigest(db, await find(experiments.stopped), now, unreachableProvider);
  const scope = { gameId: game.id, environment: DEFAULT_ENV };
  const facts = [];
  for (const subject of await findSubjects(db, scope)) {
    const found = await readSubjectFacts(db, scope, subject);
    if (found) facts.push(found);
  }
  const questions = await findQuestions(db, game.id);
  for (const summary of await writeSummaries(null, facts, questions))
    await storeSummary(db, scope, summary, now);
}

/** Gives the account the provider that needs no network, so that archetypes and suggestions have something to show. */
async function useBuiltinProvider({ service, accountId: account_id }: LocalService): Promise<void> {
  for (const kind of ["chat", "embedding"] as const) {
    await storeProvider(service.store.writeDb, {
      ...builtinProvider,
      account_id,
      kind,
      updated_at: service.now(),
    });
  }
}
