/**
 * Prints the failures in the reports of the tests and, as the last line, the number of all tests. Exits with 1 if anything failed.
 * Arguments: the folder with the reports, and the commands that failed.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const REPORTS = ["tests", "postgres"];

const [folder, ...commands] = process.argv.slice(2);

/** Reads a report. Vitest can also fail without a failure that it reports. */
function readReport(name) {
  const path = join(folder, `${name}.json`);
  if (!existsSync(path)) return { passed: 0, failures: [`${name}: the tests could not start`] };
  const report = JSON.parse(readFileSync(path, "utf8"));
  const isUnexplained = existsSync(join(folder, `${name}.failed`)) && report.failures.length === 0;
  return isUnexplained ? { ...report, failures: [`${name}: Vitest failed`] } : report;
}

const reports = REPORTS.map(readReport);
const passed = reports.reduce((sum, report) => sum + report.passed, 0);
const failures = [...commands, ...reports.flatMap((report) => report.failures)];
for (const failure of failures) console.log(`FAILED ${failure}`);
console.log(`${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length > 0 ? 1 : 0;
