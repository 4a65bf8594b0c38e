/** The analysis queue: failures, new events during analysis, and sessions that a dead process left behind. */
import { afterEach, expect, it, vi } from "vitest";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import {
  changeSession,
  createEvents,
  readSession,
  readSessionRow,
  sendTelemetry,
} from "../telemetry-helpers.ts";

const MINUTE = 60_000;

afterEach(() => {
  vi.useRealTimers();
});

/** Lets every analysis fail with an error that another attempt might not have. */
function breakAnalyses({ service }: TestService): void {
  const analysis = async () => {
    throw new Error("out of memory");
  };
  Object.assign(service, { observer: { ...service.observer, analysis } });
}

it("continues automatically after a fault of the queue", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  let broken = false;
  const surroundings = {
    now: () => {
      if (broken) throw new Error("the disk is gone");
      return service.clock.now;
    },
  };
  const clock = { now: NOW };
  const service: TestService = await startTestService({ clock });
  Object.assign(service.service, surroundings);
  await service.addGame("maze");
  const id = await sendTelemetry(service, { gameId: "maze", events: createEvents(["a"]) });
  await service.analysis.drain();
  clock.now += 31 * MINUTE;
  broken = true;
  await vi.advanceTimersByTimeAsync(MINUTE);
  await expect.poll(() => service.faults).toContain("the analysis queue");
  broken = false;
  const readStatus = async () => {
    await vi.advanceTimersByTimeAsync(MINUTE);
    return (await readSessionRow(service, id)).status;
  };
  await expect.poll(readStatus).toBe("analyzed");
  await service.stop();
});

it("keeps a session queued if events arrive while its analysis fails", async () => {
  const service = await startTestService();
  await service.addGame("maze");
  const id = await sendTelemetry(service, { gameId: "maze", events: createEvents(["a"]) });
  breakAnalyses(service);
  const queued = { status: "pending" as const, analysis_due: NOW + 60 * MINUTE, analysis_attempts: 0 };
  const renewed = { ...queued, next_batch: 2 };
  Object.assign(service.service, {
    report: () => void service.service.store.writeDb.updateTable("sessions").set(renewed).execute(),
  });
  service.clock.now += 31 * MINUTE;
  await service.analysis.drain();
  expect(await readSessionRow(service, id)).toMatchObject({ ...renewed, analysis_lease: null });
  await service.stop();
});

it("marks a session as failed after five failures, also if new events arrive", async () => {
  const service = await startTestService();
  await service.addGame("maze");
  const envelope = { gameId: "maze", clientSessionId: "c", sessionEnded: true };
  const id = await sendTelemetry(service, { ...envelope, events: createEvents(["a"]) });
  breakAnalyses(service);
  for (let attempt = 0; attempt < 6; attempt += 1) {
    await service.analysis.drain();
    service.clock.now += MINUTE;
  }
  expect(await readSessionRow(service, id)).toMatchObject({ status: "failed", analysis_due: null });
  expect((await readSession(service, id)).session.error).toBe(
    "The analysis failed 5 times. The log of the service has the cause.",
  );
  // Whoever plays could otherwise repeat it without end.
  await sendTelemetry(service, { ...envelope, events: [{ id: "new", name: "b", timestamp: NOW }] });
  await service.analysis.drain();
  expect(await readSessionRow(service, id)).toMatchObject({ status: "failed", analysis_due: null });
  await service.stop();
});

it("marks a session as failed if every process died while analyzing it", async () => {
  const service = await startTestService();
  await service.addGame("maze");
  const id = await sendTelemetry(service, { gameId: "maze", events: createEvents(["a"]) });
  await changeSession(service, id, { status: "processing", analysis_due: NOW, analysis_attempts: 5 });
  await service.analysis.drain();
  expect(await readSessionRow(service, id)).toMatchObject({ status: "failed", analysis_due: null });
  expect(service.faults).toContain(`analyzing session ${id}`);
  await service.stop();
});
