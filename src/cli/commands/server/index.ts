/** The `server` commands, which run and manage the service on this machine. */
import { backupCommand } from "./backup.ts";
import { checkCommand } from "./check.ts";
import { execCommand } from "./exec.ts";
import { exportCommand } from "./export.ts";
import { importCommand } from "./import.ts";
import { pruneCommand } from "./prune.ts";
import { resetCommand } from "./reset.ts";
import { restoreCommand } from "./restore.ts";
import { seedCommand } from "./seed.ts";
import { translatingServiceErrors } from "./service-errors.ts";
import { startCommand } from "./start.ts";
import { statusCommand } from "./status.ts";
import { upgradeCommand } from "./upgrade.ts";

export const commands = [
  startCommand,
  execCommand,
  importCommand,
  exportCommand,
  backupCommand,
  restoreCommand,
  checkCommand,
  seedCommand,
  statusCommand,
  upgradeCommand,
  pruneCommand,
  resetCommand,
].map(translatingServiceErrors);
