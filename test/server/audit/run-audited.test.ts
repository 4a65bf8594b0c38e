/** Tests of how commands are recorded: only if their transaction has written, and together with what it has written. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { runAudited } from "../../../src/cli/commands/server/audited.ts";
import { findAccountKeys } from "../../../src/server/accounts/account-queries.ts";
import { findChanges } from "../../../src/server/audit/audit-queries.ts";
import { ensureGame } from "../../../src/server/games/games.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.stop());

const create = (slug: string) =>
  runAudited(service.service, "admin games create", service.accountId, async (db, note) => {
    note.detail = { slug };
    return (await ensureGame(db, service.service, service.accountId, slug)).id;
  });

const recorded = async () => {
  const { rows } = await findChanges(service.service.store.readDb, {}, { limit: 100, offset: 0 });
  return rows.map(({ action, actor, account_id, at, detail }) => [action, actor, account_id, at, detail]);
};

it("records a transaction that has written", async () => {
  await create("ember");
  expect(await recorded()).toEqual([
    ["games.create", "operator", service.accountId, NOW, '{"slug":"ember"}'],
  ]);
});

it("records nothing if the transaction only reads, finds what it would create, or fails", async () => {
  const { service: running, accountId } = service;
  await runAudited(running, "admin keys list", accountId, (db) => findAccountKeys(db, accountId));
  await service.addGame("ember");
  await create("ember");
  const failing = runAudited(running, "admin games create", accountId, async (db) => {
    await ensureGame(db, running, accountId, "tide");
    throw new Error("failed later");
  });
  await expect(failing).rejects.toThrow("failed later");
  expect(await recorded()).toEqual([]);
});

it("records each of many concurrent commands once, also if their transactions are retried", async () => {
  const slugs = Array.from({ length: 8 }, (_, n) => `game-${n}`);
  await Promise.all(slugs.map(create));
  const found = (await recorded()).map(([, , , , detail]) => JSON.parse(String(detail)).slug);
  expect(found.sort()).toEqual(slugs);
});
