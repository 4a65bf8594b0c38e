/** Hands out the demo studio's keys: made, reserved by invites, redeemed by testers who claim their handles, revoked. */

import { createHash } from "node:crypto";
import type { DemoBatch } from "../../../demo/index.ts";
import type { GameRow, PlaytestBatchRow } from "../../../server/db/schema.ts";
import type { Service } from "../../../server/db/service.ts";
import {
  addPlaytestKeys,
  createBatch,
  inviteTester,
  openInvite,
  redeemPlaytestKey,
  requirePlaytestKey,
  revokePlaytestKey,
} from "../../../server/playtests/batches.ts";
import { claimHandle, ensureHandle, issueClaimToken } from "../../../server/testers/handles.ts";
import { DAY_MS, HOUR_MS } from "../../../shared/time-units.ts";
import { createDemoService, type SeededSession } from "./demo-sessions.ts";
import type { LocalService } from "./local.ts";

/** Makes a batch and lets it be used. */
export async function seedBatch(
  { service }: LocalService,
  game: GameRow,
  demo: DemoBatch,
  sessions: readonly SeededSession[],
): Promise<void> {
  const db = service.store.writeDb;
  const now = service.now();
  const created = now - demo.createdDaysAgo * DAY_MS;
  const making = createDemoService(service, `batch/${demo.name}`, () => created);
  const batch = await createBatch(db, making, game.id, {
    name: demo.name,
    distribution_target: "direct",
    fulfillment_source: "steam",
    redemption_mode: "claim_page",
    identity_mode: "handle",
    shared: demo.invites.length === 0,
    instructions: demo.instructions,
    expires_at: now - demo.expiresDaysAgo * DAY_MS,
  });
  const texts = Array.from({ length: demo.keys }, (_, at) => keyText(demo.name, at));
  await addPlaytestKeys(db, making, batch, texts);
  for (const { email, note, opened } of demo.invites) {
    const { invite } = await inviteTester(db, making, batch, email, note);
    if (opened) await openInvite(db, invite, created + HOUR_MS);
  }
  const free = texts.slice(demo.invites.length);
  for (const [at, handle] of demo.redeemers.entries()) {
    await redeem(making, game, batch, free[at] ?? "", handle, sessions);
  }
  const rest = free.slice(demo.redeemers.length, demo.redeemers.length + demo.revoked);
  for (const text of rest) await revokePlaytestKey(db, await requirePlaytestKey(db, batch, text));
}

/** A key as a store would write it. */
function keyText(batch: string, at: number): string {
  const digits = createHash("sha256").update(`demo/key/${batch}/${at}`).digest("hex").toUpperCase();
  return `DEMO-${digits.slice(0, 5)}-${digits.slice(5, 10)}`;
}

/** A tester redeems a key, and links the device to the handle. */
async function redeem(
  making: Service,
  game: GameRow,
  batch: PlaytestBatchRow,
  text: string,
  handle: string,
  sessions: readonly SeededSession[],
): Promise<void> {
  const db = making.store.writeDb;
  const own = sessions.find((session) => session.handle === handle);
  const key = await requirePlaytestKey(db, batch, text);
  await redeemPlaytestKey(db, making, batch, key, {
    email: null,
    handle,
    country: own?.country ?? null,
    userAgent: "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/142.0",
    ip: null,
  });
  if (!own?.deviceId) return;
  const row = await ensureHandle(db, making, game.id, handle);
  const token = await issueClaimToken(db, row);
  await claimHandle(db, making.now(), game.id, token, own.deviceId);
}
