import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { type Engine, findDatabaseTests, findTestFiles, type Suite } from "./test/suites.ts";

/** Limits only end tests that hang, so they are long enough for a busy machine. */
const timeouts = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 120_000 } },
};

/** The limits of tests with many rounds. */
const longTimeouts = { ...timeouts, testTimeout: 7_200_000, hookTimeout: 600_000 };

const BUILD = "test/build-program.ts";

/** The files of these projects share the modules of a few processes, so that each process loads the service only once. */
const shared = { isolate: false };

type Options = NonNullable<TestProjectInlineConfiguration["test"]>;

const defineProject = (
  name: string,
  include: string[],
  options: Options = {},
): TestProjectInlineConfiguration => ({ test: { ...timeouts, name, include, ...options } });

/** The tests of a suite that run the program from dist/. Loading the service for each file would take longer than most of them. */
const defineProgramTests = (suite: Suite) =>
  defineProject(suite, findTestFiles(suite), { ...shared, globalSetup: [BUILD] });

/** The service tests again on another engine: those that share modules, and the others. */
const defineDatabaseTests = (engine: Engine) => {
  const options = { ...longTimeouts, globalSetup: [BUILD, `test/${engine}/setup.ts`] };
  const files = findDatabaseTests(engine);
  return [
    defineProject(`${engine}-shared`, files.shared, { ...shared, ...options }),
    defineProject(engine, files.isolated, { ...shared, ...options }),
  ];
};

/** They take the longest, so they start first, and no processor waits for them at the end. */
const LONG =
  /\/(new-list|nodes|system\/(console|tarball)|docs\/(pages|reference)|cli\/(gate-run|processes)|clients\/typescript|security\/(client-long-texts|connections))\.test\.ts$/;

/** Before them, those with a process each, because a process of a project ends when the next file is of another one. */
class LongTestsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification) =>
      project.config.isolate ? 0 : LONG.test(moduleId) ? 1 : 2;
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

/**
 * Suites that often run together, as one project: Vitest starts new processes for each project, and each of them would load the
 * service again.
 */
const FAST = ["unit", "service"] as const;
const CI = [...FAST, "sweeps", "program", "security", "system", "shells"] as const;

/** The projects of a run without `--project`. Vitest reads this from here too, but its types only know the flag. */
const fastTests = { project: ["fast", "isolated"] };

/** All tests. CONTRIBUTING.md describes the projects. */
export default defineConfig({
  test: {
    ...fastTests,
    // Most tests wait for processes, disks and databases, so use all processors. Vitest would leave one free.
    maxWorkers: "100%",
    globalSetup: ["test/folders.ts"],
    // The projects share what they transform.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: LongTestsFirst },
    projects: [
      defineProject("fast", findTestFiles(...FAST), shared),
      defineProject("ci", findTestFiles(...CI), { ...shared, globalSetup: [BUILD] }),
      defineProject("unit", findTestFiles("unit"), shared),
      defineProject("service", findTestFiles("service"), shared),
      defineProject("sweeps", findTestFiles("sweeps"), shared),
      defineProgramTests("program"),
      defineProject("isolated", findTestFiles("isolated")),
      defineProgramTests("security"),
      defineProgramTests("faults"),
      defineProgramTests("long"),
      defineProject("faults-long", findTestFiles("faults", "security", "long"), {
        ...longTimeouts,
        globalSetup: [BUILD],
        env: { PLAYTEST_FAULTS: "long" },
      }),
      ...defineDatabaseTests("postgres"),
      ...defineDatabaseTests("citus"),
      defineProgramTests("system"),
      defineProgramTests("shells"),
      defineProgramTests("engines"),
      defineProgramTests("hosting"),
    ],
  },
});
