import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Takes minutes. They start first, so that no processor waits for them at the end. */
const LONG = /\/(new-endpoint|nodes)\.test\.ts$/;

class LongTestsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => Number(LONG.test(moduleId));
    return (await super.sort(files)).toSorted((a, b) => isLong(b) - isLong(a));
  }
}

export default defineConfig({
  test: {
    include: ["test/system/**/*.test.ts", "test/terminal/**/*.test.ts"],
    globalSetup: ["test/folders.ts", "test/build-program.ts"],
    // Most tests wait for other processes, so use all processors. Vitest would leave one free.
    maxWorkers: "100%",
    sequence: { sequencer: LongTestsFirst },
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
