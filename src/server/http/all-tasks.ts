/** All tasks by name, for the workers that run them. */
import { applyRulesTask } from "../analysis/apply-rules.ts";
import { copyDatabaseTask } from "../backups/copy-task.ts";
import { findTargetsTask } from "../builds/suggestion-targets.ts";
import { findOutdatedTestersTask, readSubjectFactsTask } from "../builds/summary-pass.ts";
import { checkTableTask } from "../db/check-pass.ts";
import type { Task } from "../db/service.ts";
import { compareVariantsTask } from "../experiments/comparison.ts";
import { lookAtGateTask } from "../gates/judge-gate.ts";
import { readTask } from "./read-task.ts";
import type { AppService } from "./service.ts";

const tasks: readonly Task<never, unknown, AppService>[] = [
  readTask,
  applyRulesTask,
  findTargetsTask,
  compareVariantsTask,
  lookAtGateTask,
  findOutdatedTestersTask,
  readSubjectFactsTask,
  checkTableTask,
  copyDatabaseTask,
];

const tasksByName = new Map(tasks.map((task) => [task.name, task]));

/** Throws an error for an unknown name. */
export function findTask(name: string): Task<unknown, unknown, AppService> {
  const task = tasksByName.get(name);
  if (!task) throw new Error(`There is no task ${name}`);
  return task as Task<unknown, unknown, AppService>;
}
