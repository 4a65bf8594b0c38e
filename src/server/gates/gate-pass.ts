/** Looks at the open gates from time to time, and announces the verdicts of those that can be decided. */
import { HOUR_MS } from "../../shared/time-units.ts";
import { isStopping } from "../core/task-stopped.ts";
import { type BackgroundPass, createBackgroundPass } from "../db/background-pass.ts";
import type { GateRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { gateDecided } from "../notifications/events.ts";
import { endGate } from "./end-gate.ts";
import { findOpenGates, updateOpenGate } from "./gate-queries.ts";
import { describeUndecided, type GateOutcome, lookAtGateTask } from "./judge-gate.ts";

/** Pause between two passes, ms. */
const PAUSE_MS = 30_000;
/** The number of gates that are read at once. */
const PAGE = 100;
/** How long after its deadline a gate that cannot be judged ends, ms. */
const GIVE_UP_MS = HOUR_MS;

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
          await lookAt(service, gate).catch((error: unknown) => handleFailure(service, gate, error));
        }
        const last = gates.at(-1);
        if (last === undefined || gates.length < PAGE) return;
        after = last;
      }
    },
  });
}

async function lookAt(service: Service, gate: GateRow): Promise<void> {
  const { testers, judgedSessions, outcome } = await service.work.run(lookAtGateTask, {
    ...{ gate, now: service.now() },
  });
  if (outcome !== null) return await decide(service, { ...gate, testers }, outcome);
  if (testers === gate.testers && judgedSessions === gate.judged_sessions) return;
  const seen = { testers, judged_sessions: judgedSessions };
  await service.store.write((db) => updateOpenGate(db, gate, seen));
}

/** One gate that cannot be judged must not keep others waiting, and ends some time after its deadline. */
async function handleFailure(service: Service, gate: GateRow, error: unknown): Promise<void> {
  if (isStopping(error)) throw error;
  service.report(`gate ${gate.id}`, error);
  if (service.now() < gate.deadline + GIVE_UP_MS) return;
  await decide(
    service,
    gate,
    describeUndecided(gate, "NO VERDICT", "the service could not compare the builds"),
  );
}

async function decide(service: Service, gate: GateRow, outcome: GateOutcome): Promise<void> {
  const { a, state, answer, status, message } = outcome;
  const isQueued = await service.store.write((db) =>
    endGate(db, service, gate, { a, state, answer }, (game) =>
      gateDecided(gate, game, message, { status, answer }),
    ),
  );
  if (isQueued) service.wakeDeliveries();
}
