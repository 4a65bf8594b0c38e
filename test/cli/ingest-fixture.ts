/** A service with a game, and a folder for telemetry files; new for each test. */
import { afterEach, beforeEach, expect } from "vitest";
import type { TransportRequest } from "../../src/client/transport.ts";
import { createAppTransport, freshFolder, runCli, startTestService, type TestService } from "../harness.ts";

interface Sent {
  readonly events: { readonly id: string }[];
  readonly clientSessionId?: string;
  readonly sessionEnded?: boolean;
}

/** The service and folder of a test. */
export class IngestFixture {
  readonly service: TestService;
  readonly folder = freshFolder();

  constructor(service: TestService) {
    this.service = service;
  }

  /** Runs ingest telemetry and records the requests. */
  async ingest(files: string[], options: Parameters<typeof runCli>[1] = {}) {
    const { service, folder: cwd } = this;
    const requests: TransportRequest[] = [];
    const send = options.transport ?? createAppTransport(service.app);
    const transport: typeof send = (request) => {
      requests.push(request);
      return send(request);
    };
    const argv = ["ingest", "telemetry", ...files, "--json"];
    const run = await runCli(argv, { service, cwd, ...options, transport });
    const bodies = requests.map((request): Sent => JSON.parse(String(request.body)));
    return { ...run, bodies, requests, report: run.out === "" ? null : JSON.parse(run.out) };
  }

  /** The event counts of the game. */
  async stored() {
    return (await this.service.get("/api/v1/events/ember")).json;
  }
}

/** Creates a fixture before each test and closes it afterwards. Fails if the service reported an error. */
export function setUpIngestFixture(use: (fixture: IngestFixture) => void): void {
  let service: TestService;
  beforeEach(async () => {
    service = await startTestService();
    await service.addGame("ember");
    use(new IngestFixture(service));
  });
  afterEach(async () => {
    expect(service.faults).toEqual([]);
    await service.stop();
  });
}
