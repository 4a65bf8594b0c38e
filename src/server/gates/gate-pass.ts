/** Looks at the open gates from time to time, and announces the verdicts of those that can be decided. */
import { isStopping } from "../core/task-stopped.ts";
import { type BackgroundPass, createBackgroundPass } from "../db/background-pass.ts";
import type { GateRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { gateDecided } from "../notifications/events.ts";
import { queueEvent } from "../notifications/outbox.ts";
import { toAddressee } from "./addressee.ts";
import { findOpenGates, updateOpenGate } from "./gate-queries.ts";
import { lookAtGateTask } from "./judge-gate.ts";

/** Pause between two passes, ms. */
const PAUSE_MS = 15_000;
/** The number of gates that are read at once. */
const PAGE = 100;

/** Several servers may look at the same gates. Only one of them decides each. */
export function createGatePass(service: Service): BackgroundPass {
  return createBackgroundPass(service, {
    name: "open gates",
    pauseMs: PAUSE_MS,
    async run(isStopped) {
      let after = { game_id: "", id: "" };
      for (;;) {
        const gates = await findOpenGates(service.store.readDb, after, PAGE);
        for (const gate of gates) {
          if (isStopped()) return;
          await lookAt(service, gate).catch((error: unknown) => {
            // One gate that cannot be judged must not keep others waiting.
            if (isStopping(error)) throw error;
            service.report(`gate ${gate.id}`, error);
          });
        }
        const last = gates.at(-1);
        if (last === undefined || gates.length < PAGE) return;
        after = last;
      }
    },
  });
}

async function lookAt(service: Service, gate: GateRow): Promise<void> {
  const { store } = service;
  const now = service.now();
  const { testers, outcome } = await service.work.run(lookAtGateTask, { gate, now });
  if (outcome === null) {
    if (testers !== gate.testers) await store.write((db) => updateOpenGate(db, gate, { testers }));
    return;
  }
  const { a, state, answer, status, message } = outcome;
  const isQueued = await store.write(async (db) => {
    if (!(await updateOpenGate(db, gate, { a, state, testers, answer, decided_at: now }))) return false;
    const create = () => gateDecided(gate, message, { status, answer });
    return await queueEvent(db, service, gate, "gate.decided", create, toAddressee(gate));
  });
  if (isQueued) service.wakeDeliveries();
}
