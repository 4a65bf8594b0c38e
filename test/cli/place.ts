/** A service with a game, a folder of files, and ingest telemetry run on both; fresh for each test. */
import { afterEach, beforeEach, expect } from "vitest";
import type { TransportRequest } from "../../src/client/transport.ts";
import { freshFolder, runCli, startTestService, type TestService, transportOf } from "../harness.ts";

interface Sent {
  readonly events: { readonly id: string }[];
  readonly clientSessionId?: string;
  readonly sessionEnded?: boolean;
}

/** Where a test ingests. */
export class Place {
  readonly service: TestService;
  readonly folder = freshFolder();

  constructor(service: TestService) {
    this.service = service;
  }

  /** Runs ingest telemetry, and keeps the bodies that were sent. */
  async ingest(files: string[], options: Parameters<typeof runCli>[1] = {}) {
    const { service, folder: cwd } = this;
    const requests: TransportRequest[] = [];
    const send = options.transport ?? transportOf(service.app);
    const transport: typeof send = (request) => {
      requests.push(request);
      return send(request);
    };
    const argv = ["ingest", "telemetry", ...files, "--json"];
    const run = await runCli(argv, { service, cwd, ...options, transport });
    const bodies = requests.map((request): Sent => JSON.parse(String(request.body)));
    return { ...run, bodies, requests, report: run.out === "" ? null : JSON.parse(run.out) };
  }

  /** What the service counts of the game's events. */
  async stored() {
    return (await this.service.get("/api/v1/events/ember")).json;
  }
}

/** Makes a place before each test, and closes it after; no test may leave a fault in its service. */
export function eachTest(use: (place: Place) => void): void {
  let service: TestService;
  beforeEach(async () => {
    service = await startTestService();
    await service.addGame("ember");
    use(new Place(service));
  });
  afterEach(async () => {
    expect(service.faults).toEqual([]);
    await service.stop();
  });
}
