/**
 * Prints the failed tests of Vitest's reports and, as the last line, the number of all tests. Exits with 1 if anything failed.
 * Arguments: the folder with the reports, and the commands that failed.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const REPORTS = ["tests", "postgres"];

const [folder, ...commands] = process.argv.slice(2);
const failures = commands.map((command) => `FAILED ${command}`);
let passed = 0;
for (const name of REPORTS) {
  const path = join(folder, `${name}.json`);
  const before = failures.length;
  if (!existsSync(path)) {
    failures.push(`FAILED ${name}: the tests could not start`);
    continue;
  }
  const report = JSON.parse(readFileSync(path, "utf8"));
  passed += report.numPassedTests;
  for (const { name: file, message, assertionResults } of report.testResults) {
    const failed = assertionResults.filter(({ status }) => status === "failed");
    // A file that could not be loaded has a message and no tests.
    if (message && failed.length === 0) failures.push(`FAILED ${file}: ${message}`);
    for (const { fullName, failureMessages } of failed)
      failures.push(`FAILED ${file} > ${fullName}\n${failureMessages.join("\n")}`);
  }
  const isFailed = existsSync(join(folder, `${name}.failed`));
  if (isFailed && failures.length === before) failures.push(`FAILED ${name}: an error outside of the tests`);
}
for (const failure of failures) console.log(failure);
console.log(`${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length > 0 ? 1 : 0;
