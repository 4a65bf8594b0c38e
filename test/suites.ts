/**
 * Assigns every test file to one suite, which is a project in vitest.config.ts. Folders and file names decide for suites that need minutes or more than Node. For
 * all other files, the imports decide, so that a new test needs no entry in a list.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export type Suite =
  | "unit"
  | "service"
  | "sweeps"
  | "program"
  | "isolated"
  | "long"
  | "faults"
  | "security"
  | "postgres"
  | "citus"
  | "system"
  | "shells"
  | "engines"
  | "hosting";

const root = join(import.meta.dirname, "..");

const suitesByFolder: Readonly<Record<string, Suite>> = {
  faults: "faults",
  security: "security",
  postgres: "postgres",
  citus: "citus",
  system: "system",
  terminal: "system",
  shells: "shells",
  engines: "engines",
  hosting: "hosting",
};

/** Tests that kill processes at many moments take minutes in every folder, and so do a few others. Releases run them, but not CI. */
const KILLS = /(^|[/-])kills?\.test\.ts$/;
const LONG =
  /^test\/(security\/client-long-texts|system\/(action|charts|executable|inspector|new-list|nodes|package-managers|pandas|registry|workflows)|build\/reproducible|cli\/ingest-csv-budget|postgres\/rolling-upgrade)\.test\.ts$/;

/** Tests of the service that try every text, page, command or moment, or many random cases. CI runs them, but not `npm test`. */
const SWEEPS =
  /^test\/(budget\/console|console\/(commands|hostile)|mcp\/(http|tools)|cli\/(backups|ci-log|data-queries|demo-studio|errors|export-changes|export-safety|help|hostile|wrong-clocks)|client\/time-pagination|server\/(analysis\/damaged-data|arbitrary|conformance-input|two-accounts|archive\/round-trip|erasure\/(delete-sessions|erase-tester)|experiments\/comparison|(pruning|quarantine)\/answers))\.test\.ts$/;

/** Tests that measure the memory of their process need one of their own. */
const MEASURES_MEMORY = /(^|[/-])memory\.test\.ts$/;

/** Imports of tests that start processes, most of them the program from dist/. */
const PROGRAM = /^(node:child_process|execa)$/;

/** Imports of tests that start services, or open sockets or databases. */
const SERVICE =
  /^(test\/(harness|engine)\.ts|node:(http|https|net|tls)|src\/server\/(.+\/)?(start|listen)\.ts|src\/server\/(archive|db)\/.+)$/;

/** The specifier of a static import or re-export of values, or of a dynamic import. */
const IMPORT = /^(?:import|export) (?!type )(?:[^"';]+? from )?"([^"]+)";|\bimport\("([^"]+)"\)/gm;

/** Returns the imports of a file: files of the project by path, packages by name. */
function readImports(file: string): string[] {
  const source = readFileSync(join(root, file), "utf8");
  return [...source.matchAll(IMPORT)].map(([, from = "", dynamic = ""]) => {
    const specifier = from || dynamic;
    return specifier.startsWith(".") ? join(file, "..", specifier) : specifier;
  });
}

/** Returns the imports of a test file, both direct ones and those through other files below `test/`. */
export function reachableImports(file: string): Set<string> {
  const reached = new Set<string>();
  const pending = [file];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const name of readImports(next)) {
      if (reached.has(name)) continue;
      reached.add(name);
      if (name.startsWith("test/") && existsSync(join(root, name))) pending.push(name);
    }
  }
  return reached;
}

/** Returns the suite of a test file, given as a path from the root of the project. */
export function chooseSuite(file: string): Suite {
  const [, folder = ""] = file.split("/");
  const folderSuite = suitesByFolder[folder];
  if (LONG.test(file) || (KILLS.test(file) && folderSuite !== "postgres")) return "long";
  if (folderSuite) return folderSuite;
  if (MEASURES_MEMORY.test(file)) return "isolated";
  if (SWEEPS.test(file)) return "sweeps";
  const imports = [...reachableImports(file)];
  if (imports.some((name) => PROGRAM.test(name))) return "program";
  return imports.some((name) => SERVICE.test(name)) ? "service" : "unit";
}

/** Returns the paths of all test files, from the root of the project. */
export function testFiles(): string[] {
  const files = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => `test/${file}`)
    .sort();
}

/** Returns the test files of suites. */
export function findTestFiles(...suites: readonly Suite[]): string[] {
  return testFiles().filter((file) => suites.includes(chooseSuite(file)));
}

/** An engine on which the tests of the service run again. */
export type Engine = "postgres" | "citus";

/** The folders of the tests that open databases. All others behave the same on every engine. */
const foldersByEngine: Readonly<Record<Engine, RegExp>> = {
  postgres: /^test\/(server|mcp|claims|console|postgres)\//,
  citus: /^test\/(server|postgres|citus)\//,
};

/** Whether a test starts its own plain Postgres server, or gets in between the service and the only server it knows. */
const needsOwnServer = (file: string) =>
  file.startsWith("test/postgres/") &&
  /startOwnPostgres|hanging/.test(readFileSync(join(root, file), "utf8") + file);

/** Returns the test files that run on an engine: those that share modules, and those that need a process each. */
export function findDatabaseTests(engine: Engine): { shared: string[]; isolated: string[] } {
  const files = testFiles().filter(
    (file) =>
      foldersByEngine[engine].test(file) &&
      !file.startsWith("test/server/analysis/provider/") &&
      chooseSuite(file) !== "unit" &&
      !(engine === "citus" && needsOwnServer(file)),
  );
  const isShared = (file: string) => /^(service|sweeps)$/.test(chooseSuite(file));
  return { shared: files.filter(isShared), isolated: files.filter((file) => !isShared(file)) };
}
