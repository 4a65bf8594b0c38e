/** Rules that need more than the events of a session: feedback, and the median of other sessions. */
import { expect, it } from "vitest";
import { createForm } from "../../../src/server/feedback/forms.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { readSession, sendTelemetry } from "../telemetry-helpers.ts";

const tags = async (service: TestService, session: string) =>
  (await readSession(service, session)).insights.map(({ tag }: { tag: string }) => tag);

it("turns feedback into insights, even if it arrives after the analysis", async () => {
  const service = await startTestService();
  const gameId = await service.addGame("ember");
  const form = await createForm(service.service.store.writeDb, service.service, gameId, {
    name: "After",
    fields: [
      { id: "fun", label: "Fun?", kind: "rating-1-5" },
      { id: "why", label: "Why?", kind: "long-text" },
    ],
    triggerHint: "end",
    active: true,
  });
  const events = [{ id: "e", name: "walk", timestamp: NOW }];
  const sessionId = await sendTelemetry(service, {
    gameId: "ember",
    deviceId: "d",
    sessionEnded: true,
    events,
  });
  await service.analysis.drain();
  expect(await tags(service, sessionId)).toEqual(["session-summary:session"]);
  const responses = [
    { fieldId: "fun", value: "1" },
    { fieldId: "why", value: "I hated the lava" },
  ];
  const body = { requestId: "r1", formId: form.id, sessionId, responses };
  expect((await service.post("/api/telemetry/feedback", body)).status).toBe(200);
  await service.analysis.drain();
  expect((await tags(service, sessionId)).sort()).toEqual([
    "negative-moment:feedback-fun",
    "negative-moment:feedback-why",
    "session-summary:session",
  ]);
  await service.stop();
  expect(service.faults).toEqual([]);
});

it("compares room times only with at least five other sessions of the same game", async () => {
  const service = await startTestService();
  for (const slug of ["ember", "tide"]) await service.addGame(slug);
  const visit = (gameId: string, device: string, seconds: number) =>
    sendTelemetry(service, {
      gameId,
      deviceId: device,
      sessionEnded: true,
      events: [
        ...Array.from({ length: seconds / 10 }, (_, at) => ({
          id: `e${at}`,
          name: "press",
          timestamp: NOW + at * 10_000,
          data: { room: "cave" },
        })),
        { id: "end", name: "complete", timestamp: NOW + seconds * 1000, data: { room: "cave" } },
      ],
    });
  for (let at = 0; at < 4; at++) await visit("ember", `d${at}`, 20);
  for (let at = 0; at < 9; at++) await visit("tide", `d${at}`, 20);
  await service.analysis.drain();
  const early = await visit("ember", "early", 300);
  await service.analysis.drain();
  expect(await tags(service, early)).not.toContain("stuck-point:cave");
  const late = await visit("ember", "late", 300);
  await service.analysis.drain();
  expect(await tags(service, late)).toContain("stuck-point:cave");
  await service.stop();
});

it("judges the players of a device on their own, and names them in claims", async () => {
  const service = await startTestService();
  await service.addGame("ember");
  const events = Array.from({ length: 14 }, (_, at) => ({
    ...{ id: `e${at}`, name: "death", timestamp: NOW + at * 5000 },
    data: { room: at % 3 === 0 ? "attic" : "cave", player: at % 3 === 0 ? "p1" : "p2" },
  }));
  const id = await sendTelemetry(service, { gameId: "ember", deviceId: "d", sessionEnded: true, events });
  await service.analysis.drain();
  const { insights } = await readSession(service, id);
  const spikes = insights.filter(({ type }: { type: string }) => type === "difficulty-spike");
  expect(spikes).toMatchObject([
    { tag: "difficulty-spike:attic", claims: expect.arrayContaining([{ kind: "player", player: "p1" }]) },
    { tag: "difficulty-spike:cave", claims: expect.arrayContaining([{ kind: "player", player: "p2" }]) },
  ]);
  await service.stop();
  expect(service.faults).toEqual([]);
});
