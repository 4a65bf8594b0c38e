/** Seeds the playtest batches of the demo studio: keys that are invited, redeemed by testers with handles, or revoked. */
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

/** Creates a batch with its keys, invites, redemptions and revocations. */
export async function seedBatch(
  { service }: LocalService,
  game: GameRow,
  demo: DemoBatch,
  sessions: readonly SeededSession[],
): Promise<void> {
  const db = service.store.writeDb;
  const now = service.now();
  const created = now - demo.createdDaysAgo * DAY_MS;
  const demoService = createDemoService(service, `batch/${demo.name}`, () => created);
  const batch = await createBatch(db, demoService, game.id, {
    name: demo.name,
    distribution_target: "direct",
    fulfillment_source: "steam",
    redemption_mode: "claim_page",
    identity_mode: "handle",
    shared: demo.invites.length === 0,
    instructions: demo.instructions,
    expires_at: now - demo.expiresDaysAgo * DAY_MS,
  });
  const texts = Array.from({ length: demo.keys }, (_, index) => createKeyText(demo.name, index));
  await addPlaytestKeys(db, demoService, batch, texts);
  for (const { email, note, opened } of demo.invites) {
    const { invite } = await inviteTester(db, demoService, batch, email, note);
    if (opened) await openInvite(db, invite, created + HOUR_MS);
  }
  const available = texts.slice(demo.invites.length);
  for (const [index, handle] of demo.redeemers.entries()) {
    await redeem(demoService, game, batch, available[index] ?? "", handle, sessions);
  }
  const toRevoke = available.slice(demo.redeemers.length, demo.redeemers.length + demo.revoked);
  for (const text of toRevoke) await revokePlaytestKey(db, await requirePlaytestKey(db, batch, text));
}

/** A key in the style of game store keys. */
function createKeyText(batch: string, index: number): string {
  const digits = createHash("sha256").update(`demo/key/${batch}/${index}`).digest("hex").toUpperCase();
  return `DEMO-${digits.slice(0, 5)}-${digits.slice(5, 10)}`;
}

/** Redeems a key for a tester, and links the tester's device to the handle. */
async function redeem(
  demoService: Service,
  game: GameRow,
  batch: PlaytestBatchRow,
  text: string,
  handle: string,
  sessions: readonly SeededSession[],
): Promise<void> {
  const db = demoService.store.writeDb;
  const session = sessions.find((candidate) => candidate.handle === handle);
  const key = await requirePlaytestKey(db, batch, text);
  await redeemPlaytestKey(db, demoService, batch, key, {
    email: null,
    handle,
    country: session?.country ?? null,
    userAgent: "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/142.0",
    ip: null,
  });
  if (!session?.deviceId) return;
  const row = await ensureHandle(db, demoService, game.id, handle);
  const token = await issueClaimToken(db, row);
  await claimHandle(db, demoService.now(), game.id, token, session.deviceId);
}
