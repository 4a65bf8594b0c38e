/** The error of work that was stopped before its end. */

/** Why work was stopped: it took too long or too much memory, nobody waits for it any more, or the service stops. */
export type StopReason = "time" | "memory" | "canceled" | "stopping";

const messages: Readonly<Record<StopReason, string>> = {
  time: "It took too long and was stopped",
  memory: "It needed too much memory and was stopped",
  canceled: "Nobody waits for the result any more",
  stopping: "The service stops",
};

/** Whether work was stopped because the service stops, which nobody needs to know. */
export const isStopping = (error: unknown): boolean =>
  error instanceof TaskStopped && error.reason === "stopping";

export class TaskStopped extends Error {
  override readonly name = "TaskStopped";
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(messages[reason]);
    this.reason = reason;
  }
}
