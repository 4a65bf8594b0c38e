/** Writes the number of passed tests and a text for each failure to the file that PLAYTEST_TEST_REPORT names, as JSON. */
import { writeFileSync } from "node:fs";

const describe = ({ stack, message }) => stack ?? message;

/** Yields a text for each failed test, and for each file or group of tests that failed by itself. */
function* findFailures(module) {
  for (const error of module.errors()) yield `${module.moduleId}: ${describe(error)}`;
  for (const suite of module.children.allSuites())
    for (const error of suite.errors()) yield `${module.moduleId} > ${suite.fullName}: ${describe(error)}`;
  for (const test of module.children.allTests("failed"))
    yield `${module.moduleId} > ${test.fullName}\n${test.result().errors.map(describe).join("\n")}`;
}

export default class CountReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const passed = modules.flatMap((module) => [...module.children.allTests("passed")]).length;
    const failures = [
      ...modules.flatMap((module) => [...findFailures(module)]),
      ...unhandledErrors.map((error) => `an error outside of the tests: ${describe(error)}`),
    ];
    writeFileSync(process.env.PLAYTEST_TEST_REPORT, JSON.stringify({ passed, failures }));
  }
}
