/** Runs administrative commands on a database file in a new folder, and checks the results through a service on it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { freshFolder, NOW, runCli, startTestService, type TestService } from "../harness.ts";

/** A database file, and functions to run commands on it. */
export interface AdminFixture {
  readonly folder: string;
  readonly file: string;
  readonly clock: { now: number };
  /** Runs `admin ...` with JSON output. */
  run(
    argv: readonly string[],
    options?: Parameters<typeof runCli>[1],
  ): Promise<{
    code: number;
    err: string;
    // biome-ignore lint/suspicious/noExplicitAny: tests read whatever was answered
    json: any;
  }>;
  /** Runs `admin ...` at a terminal. */
  show(argv: readonly string[]): Promise<string>;
  /** Runs the work with a service on the file. */
  withService<T>(work: (service: TestService) => Promise<T>): Promise<T>;
}

/** Creates a fixture before each test. */
export function setUpAdminFixture(use: (fixture: AdminFixture) => void): void {
  const services: TestService[] = [];
  beforeEach(() => {
    const folder = freshFolder();
    const file = join(folder, "play.db");
    // An empty file is a valid database. Commands report only databases whose file they create.
    writeFileSync(file, "");
    const clock = { now: NOW };
    const options = { home: folder, cwd: folder, clock };
    // The harness must not create an account, because commands use the first account by default.
    const nobody = { accountId: "", keys: { management: "", ingest: "" }, clock, ids: { next: 0 } };
    const continues = nobody as TestService;
    use({
      folder,
      file,
      clock,
      async run(argv, more = {}) {
        const line = ["admin", ...argv, "--database", file, "--json"];
        const { code, err, out } = await runCli(line, { ...options, ...more });
        return { code, err, json: out === "" ? null : JSON.parse(out) };
      },
      async show(argv) {
        const line = ["admin", ...argv, "--database", file];
        const run = await runCli(line, { ...options, tty: true, columns: 120 });
        return run.out;
      },
      async withService(work) {
        const service = await startTestService({ database: file, clock, continues });
        services.push(service);
        try {
          return await work(service);
        } finally {
          await service.stop();
        }
      },
    });
  });
  afterEach(() => {
    const faults = services.splice(0).flatMap((service) => service.faults);
    if (faults.length > 0) throw new AggregateError(faults, "The service reported errors");
  });
}
