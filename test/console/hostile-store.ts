/** Stores hostile texts as a studio and its players would: in names, builds, rooms, events, answers, reports and crashes. */

import { requireExperiment } from "../../src/server/experiments/experiment-queries.ts";
import { createAudience, createExperiment, startExperiment } from "../../src/server/experiments/lifecycle.ts";
import { createForm } from "../../src/server/feedback/forms.ts";
import { ensureGame } from "../../src/server/games/games.ts";
import { addPlaytestKeys, createBatch, inviteTester } from "../../src/server/playtests/batches.ts";
import { addSession } from "../../src/server/sessions/sessions.ts";
import { NOW, type TestService } from "../harness.ts";

/** A game full of one text. Fields that cannot have the text, such as those with a fixed length, are left out by the service. */
export async function storeHostileGame(service: TestService, slug: string, hostile: string): Promise<void> {
  // Databases cannot store NUL.
  const whole = hostile.toWellFormed().replaceAll("\0", "");
  const text = whole.slice(0, 100);
  const name = text.trim() === "" ? "blank" : text;
  const { store } = service.service;
  const making = service.service;
  const game = await ensureGame(store.writeDb, making, service.accountId, slug, { name });
  const stored = await store.writeDb.transaction().execute(async (db) => {
    const audience = await createAudience(db, making, game, {
      name,
      predicates: [{ field: "environment", op: "in", values: ["production"] }],
    });
    const { id } = await createExperiment(db, making, game, {
      name,
      variants: [
        { key: "control", name, allocation: 50 },
        { key: "bright", name, allocation: 50 },
      ],
      audienceId: audience.id,
    });
    await startExperiment(db, await requireExperiment(db, game.account_id, id), making.now());
    const form = await createForm(db, making, game.id, {
      name,
      fields: [{ id: "said", label: name, kind: "long-text", required: false }],
      triggerHint: "session_end",
      active: true,
    });
    const batch = await createBatch(db, making, game.id, {
      ...{ name, instructions: text, shared: true, expires_at: NOW + 86_400_000 },
      ...{ distribution_target: "steam", fulfillment_source: "uploaded" },
      ...{ redemption_mode: "link", identity_mode: "email" },
    });
    await addPlaytestKeys(db, making, batch, ["AAAA"]);
    await inviteTester(db, making, batch, "somebody@studio.test", null);
    return { experimentId: id, formId: form.id };
  });
  await addSession(store.writeDb, making, game, {
    ...{ source: "manual", status: "pending", recordedAt: NOW - 1000 },
    ...{
      build: text,
      platform: text,
      environment: "production",
      title: text,
      transcript: whole,
    },
  });
  for (const gameVersion of [text, `${text}2`]) await play(service, slug, { ...stored, text, gameVersion });
  await service.analysis.drain();
}

interface Play {
  readonly experimentId: string;
  readonly formId: string;
  readonly text: string;
  readonly gameVersion: string;
}

/** A session of a device with deaths, positions, a crash, answers and a bug report. */
async function play(service: TestService, gameId: string, { text, ...play }: Play): Promise<void> {
  const { experimentId, formId, gameVersion } = play;
  const names = ["death", "death", "death", "death", "player_pos", text, "crash_reported"];
  const common = { gameId, sessionMetadata: { gameVersion, platform: text } };
  const sent = await service.post("/api/telemetry", {
    ...common,
    ...{ clientSessionId: `${gameVersion}.`, deviceId: text, testerHandle: text, title: text },
    ...{ source: "unity-telemetry", sessionEnded: true, experimentTags: { [experimentId]: "control" } },
    events: names.map((name, at) => ({
      ...{ id: `e${at}`, name, timestamp: NOW - 60_000 + at * 1000 },
      data: { room: text, x: at, y: at, message: text, stack: text, signature: text, [text]: text },
    })),
  });
  const sessionId = sent.json?.sessionId;
  // The path of a page cannot have every text, so the service refuses some builds and devices.
  if (sent.status !== 202) return;
  await service.post("/api/telemetry/feedback", {
    ...{ requestId: `${gameVersion}?`, formId, sessionId },
    responses: [{ fieldId: "said", value: text }],
  });
  await service.post("/api/telemetry/bug-report", {
    ...common,
    ...{ sessionId, title: text, description: text, playerId: text, idempotencyKey: `${gameVersion}!` },
  });
}
