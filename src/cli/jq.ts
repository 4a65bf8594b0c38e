/** Runs jq expressions, with a limit on time and memory. */
import { runInNewContext } from "node:vm";
import { loadJq } from "jq-wasm/inline";
import { MAX_TIMER_MS } from "../shared/sleep.ts";
import { fail } from "./errors.ts";

/**
 * Returns what jq writes: one JSON value per line. jq-wasm limits its memory to 256 MiB. Throws `usage` if the expression
 * is invalid or needs more memory, and `timeout` after `timeoutMs` (0: no limit).
 */
export async function runJq(data: unknown, expression: string, timeoutMs: number): Promise<string> {
  const jq = await loadJq();
  const input = JSON.stringify(data);
  const { stdout, stderr, exitCode } = withoutConsole(() =>
    runLimited(expression, timeoutMs, () => jq.raw(input, expression, ["-c"])),
  );
  if (exitCode === 0) return stdout;
  const [reason = ""] = stderr
    .trim()
    .replace(/^jq: error( \(.*?\))?: /, "")
    .split(/:?\n/);
  throw jqError(expression, reason, "Use --json without --jq to see the data that you can filter.");
}

/**
 * Runs a computation and stops it after `timeoutMs`. Only a timeout of node:vm can stop code that never returns, and it also
 * stops the functions of this context that the script calls.
 */
function runLimited<T>(expression: string, timeoutMs: number, run: () => T): T {
  const limit = timeoutMs > 0 ? { timeout: Math.min(timeoutMs, MAX_TIMER_MS) } : {};
  try {
    return runInNewContext("run()", { run }, limit) as T;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") {
      const message = `--jq ${JSON.stringify(expression)}: no result within ${timeoutMs / 1000} s`;
      throw fail("timeout", { message, hint: "Simplify the expression, or set a longer --timeout.", cause });
    }
    // jq aborts or overflows its stack if it cannot get more memory.
    const hint = "Select less data in the expression, or filter with the flags of the command.";
    throw jqError(expression, "the expression needs too much memory", hint, cause);
  }
}

function jqError(expression: string, reason: string, hint: string, cause?: unknown): Error {
  return fail("usage", { message: `--jq ${JSON.stringify(expression)}: ${reason}`, hint, cause });
}

/** Suppresses what jq-wasm prints when it aborts. */
function withoutConsole<T>(run: () => T): T {
  const { error } = console;
  console.error = () => {};
  try {
    return run();
  } finally {
    console.error = error;
  }
}
