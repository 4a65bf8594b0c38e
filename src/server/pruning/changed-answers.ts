/** What changes in answers when pruning has removed the events of sessions. All other answers stay the same. */
import type { EndpointName } from "../../contract/index.ts";

interface AnswerChange {
  /** The fields of the response that change. */
  readonly fields: readonly string[];
  /** How they change, as one sentence. */
  readonly change: string;
}

export const changedByPruning: { readonly [Name in EndpointName]?: AnswerChange } = {
  getSession: { fields: ["session"], change: "`eventsPrunedAt` says when the events were removed." },
  listSessionEvents: {
    fields: ["items", "pruned"],
    change: "There are no events. `pruned` says when they were removed, and how many there were.",
  },
  listRawEvents: { fields: ["items", "next"], change: "The events of the session are missing." },
  getInsight: {
    fields: ["events", "missingEvents", "prunedAt"],
    change:
      "The finding stays without the events that it cites. `missingEvents` counts them, and `prunedAt` says when they were removed.",
  },
  listCrashes: {
    fields: ["completeSince", "crashCount", "items", "notGrouped", "testerCount", "total"],
    change:
      "The crashes of the session are in no group. `notGrouped.pruned` counts such sessions, and `completeSince` says since when all crashes are grouped.",
  },
  getFunnel: {
    fields: ["completeSince", "groups", "sessions"],
    change:
      "The session reaches no step, and its tester still counts. `sessions.withoutEvents` counts such sessions, and `completeSince` says since when all are counted.",
  },
  getHeatmap: {
    fields: ["marks", "paths"],
    change:
      "The session has no path, and no mark of its end: `withoutPosition` counts it. Positions and marks of deaths stay.",
  },
};
