/** Tests of the log lines of administrative changes. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { type AuditEntry, recordChange, startAuditLog } from "../../../src/server/audit/audit.ts";
import { startLog } from "../../../src/server/observability/log.ts";
import { freshFolder, NOW, startTestService, type TestService } from "../../harness.ts";

const change = (service: TestService, action: string) =>
  service.service.store.write((db) =>
    recordChange(db, service.service, {
      action,
      actor: "operator",
      accountId: service.accountId,
      target: "0123456789ab",
      detail: { kind: "ingest" },
    }),
  );

test("writes each change to the log once, in the order of the changes", async () => {
  const service = await startTestService();
  const logged: AuditEntry[] = [];
  for (const action of ["games.create", "keys.create"]) {
    await change(service, action);
    service.clock.now += 1;
  }
  const log = startAuditLog(service.service, (entry) => logged.push(entry));
  await log.drain();
  await change(service, "keys.revoke");
  await log.drain();
  await log.drain();
  await log.stop();
  expect(logged.map(({ action, at }) => [action, at])).toEqual([
    ["games.create", NOW],
    ["keys.create", NOW + 1],
    ["keys.revoke", NOW + 2],
  ]);
  await service.stop();
  expect(service.faults).toEqual([]);
});

test("several servers of a database log each change once", async () => {
  const service = await startTestService({ database: join(freshFolder(), "play.db") });
  const logged: string[] = [];
  const logs = [0, 1, 2].map(() => startAuditLog(service.service, ({ id }) => logged.push(id)));
  for (let n = 0; n < 20; n += 1) await change(service, "games.create");
  await Promise.all(logs.map((log) => log.drain()));
  for (const log of logs) await log.stop();
  expect([logged.length, new Set(logged).size]).toEqual([20, 20]);
  await service.stop();
});

test("reports an unavailable database once, and logs the change when it is back", async () => {
  const service = await startTestService();
  const { store } = service.service;
  const reports: string[] = [];
  const logged: string[] = [];
  await change(service, "keys.revoke");
  await store.writeDb.schema.alterTable("audit").renameTo("audit_hidden").execute();
  const log = startAuditLog({ store, report: (what) => reports.push(what) }, ({ action }) =>
    logged.push(action),
  );
  await expect(log.drain()).rejects.toThrow();
  // The first look of the log itself is a separate query, which must fail too.
  while (reports.length === 0) await sleep(5);
  await store.writeDb.schema.alterTable("audit_hidden").renameTo("audit").execute();
  await log.drain();
  await log.stop();
  expect([reports, logged]).toEqual([["audit log"], ["keys.revoke"]]);
  await service.stop();
});

test("a line has the format of the other lines of the log", () => {
  const lines: string[] = [];
  const { logChange } = startLog({ level: "info", now: () => NOW, write: (line) => lines.push(line) });
  logChange({
    ...{ id: "chg_1", at: NOW - 5000, action: "keys.revoke", actor: "operator" },
    ...{ accountId: "user_1", target: "0123456789ab", detail: { kind: "ingest" } },
  });
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      level: "info",
      time: new Date(NOW).toISOString(),
      event: "audit",
      at: new Date(NOW - 5000).toISOString(),
      ...{ id: "chg_1", action: "keys.revoke", actor: "operator" },
      ...{ accountId: "user_1", target: "0123456789ab", detail: { kind: "ingest" } },
    },
  ]);
});
