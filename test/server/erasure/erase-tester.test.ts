/** An erased tester leaves no trace: neither in any answer nor in the bytes of the database. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ErasureTarget, eraseTester, previewErasure } from "../../../src/server/erasure/erase-tester.ts";
import { requireGame } from "../../../src/server/games/game-queries.ts";
import {
  addPlaytestKeys,
  createBatch,
  inviteTester,
  redeemPlaytestKey,
  requirePlaytestKey,
} from "../../../src/server/playtests/batches.ts";
import { claimHandle, ensureHandle, issueClaimToken } from "../../../src/server/testers/handles.ts";
import { readStoredText } from "../../engine.ts";
import { engine, freshFolder, NOW, type TestService } from "../../harness.ts";
import fc, { times } from "../../property.ts";
import { sendTelemetry } from "../telemetry-helpers.ts";
import {
  createChoices,
  createStarter,
  createStudio,
  interleave,
  type PlayedSession,
  playSession,
  readAnswers,
  send,
} from "./random-play.ts";

const { start, stop } = createStarter();

async function target(service: TestService, name: string) {
  const { id } = await requireGame(service.service.store.readDb, service.accountId, "ember");
  return { accountId: service.accountId, name, gameIds: [id] };
}

const emailBatch = {
  name: "Batch",
  distribution_target: "steam",
  fulfillment_source: "uploaded",
  redemption_mode: "link",
  identity_mode: "email",
  instructions: null,
  expires_at: null,
  shared: false,
};

describe("after a tester was erased", () => {
  it("answers like a service that never had the tester", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const random = createChoices(seed);
        const [full, fresh] = [await start(), await start()];
        const studio = await createStudio(full);
        await createStudio(fresh);
        const testers = ["wren", "robin", "finch"];
        const sessions: PlayedSession[] = Array.from({ length: 20 }, (_, index) => {
          const tester = random.pick(testers);
          const device = random.pick([null, `${tester}-phone`, `${tester}-desktop`]);
          const handle = device === null || random.integer(0, 1) === 0 ? tester : null;
          return playSession(random, studio, { name: `session${index}-${tester}`, device, handle });
        });
        const first = playSession(random, studio, {
          name: "first-wren",
          device: "wren-phone",
          handle: "wren",
        });
        const requests = interleave(random, [first, ...sessions]);
        await send(full, requests, new Map());
        const isAnalyzed = random.integer(0, 1) === 0;
        if (isAnalyzed) await readAnswers(full, studio);
        // Sessions of a device belong to a handle only if one of them names it.
        const hasHandle = new Set(
          [first, ...sessions].flatMap(({ device, handle }) => (handle === null ? [] : (device ?? []))),
        );
        const isErased = ({ device, handle }: PlayedSession) =>
          handle === "wren" || (device?.startsWith("wren") && hasHandle.has(device));
        const erased = new Set([first, ...sessions].filter(isErased).map(({ name }) => name));
        // What the service does in the background would change the numbers after the preview.
        await full.analysis.drain();
        await full.service.arrivals.flush();
        const chosen = await target(full, random.pick(["wren", "wren-phone"]));
        const preview = await previewErasure(full.service, chosen);
        const report = await eraseTester(full.service, chosen);
        // Analyses that are still running may add results after the preview.
        const { counts } = isAnalyzed ? preview : report;
        expect(report).toEqual({ ...preview, counts, remaining: {} });
        expect(report.counts.sessions).toBe(erased.size);
        await send(
          fresh,
          requests.filter(({ session }) => !erased.has(session)),
          new Map(),
        );
        expect(await readAnswers(full, studio)).toEqual(await readAnswers(fresh, studio));
        expect(full.faults).toEqual([]);
        await stop();
      }),
      { numRuns: times(engine === "postgres" ? 1 : 3) },
    );
  });

  it("answers the same if telemetry of others arrives meanwhile", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const random = createChoices(seed);
        const [full, fresh] = [await start(), await start()];
        const studio = await createStudio(full);
        await createStudio(fresh);
        const sessions = Array.from({ length: 16 }, (_, index) => {
          const tester = index === 0 ? "wren" : random.pick(["wren", "robin"]);
          const name = `session${index}-${tester}`;
          return playSession(random, studio, { name, device: `${tester}-phone`, handle: tester });
        });
        const requests = interleave(random, sessions);
        const ofOthers = requests.filter(({ session }) => !session.endsWith("wren"));
        const middle = Math.floor(requests.length / 2);
        const ids = new Map<string, string>();
        await send(full, requests.slice(0, middle), ids);
        // The tester may not have played in the first half.
        const erasure = eraseTester(full.service, await target(full, "wren")).catch(({ code }) => code);
        const later = ofOthers.filter(({ number }) => number >= middle);
        await send(full, later, ids);
        const outcome = await erasure;
        expect(outcome === "not_found" || outcome.remaining).toEqual(outcome === "not_found" ? true : {});
        await send(fresh, ofOthers, new Map());
        expect(await readAnswers(full, studio)).toEqual(await readAnswers(fresh, studio));
        expect(full.faults).toEqual([]);
        await stop();
      }),
      { numRuns: times(2) },
    );
  });

  it("has none of the tester's ids and texts in the bytes of the database", async () => {
    const database = join(freshFolder(), "play.db");
    const service = await start(database);
    const studio = await createStudio(service);
    const random = createChoices(7);
    const play = (name: string, device: string, handle: string | null) =>
      playSession(random, studio, { name, device, handle });
    const sessions = [
      ...Array.from({ length: 12 }, (_, index) =>
        play(`wrensecret${index}`, "wrensecret-phone", "wrensecret"),
      ),
      ...Array.from({ length: 12 }, (_, index) => play(`robin${index}`, "robin-phone", "robin")),
    ];
    const ids = new Map<string, string>();
    await send(service, interleave(random, sessions), ids);
    const { writeDb } = service.service.store;
    const game = await requireGame(writeDb, service.accountId, "ember");
    const batch = await createBatch(writeDb, service.service, game.id, emailBatch);
    await addPlaytestKeys(writeDb, service.service, batch, ["AAAA", "BBBB", "CCCC"]);
    const { keyId } = await inviteTester(
      writeDb,
      service.service,
      batch,
      "wrensecret@mail.example",
      "for wrensecret",
    );
    await redeemPlaytestKey(
      writeDb,
      service.service,
      batch,
      await requirePlaytestKey(writeDb, batch, keyId),
      {
        email: null,
        handle: "wrensecret",
        country: "IS",
        userAgent: "wrensecret browser",
        ip: "203.0.113.77",
      },
    );
    const handle = await ensureHandle(writeDb, service.service, game.id, "wrensecret", keyId);
    const claimToken = await issueClaimToken(writeDb, handle);
    await claimHandle(writeDb, NOW, game.id, claimToken, "wrensecret-phone");
    await readAnswers(service, studio);
    await service.service.arrivals.flush();
    const traces = () => [
      /wrensecret/i,
      /203\.0\.113\.77/,
      ...[...ids].filter(([name]) => name.startsWith("wren")).map(([, id]) => new RegExp(id)),
    ];
    const before = await readStoredText(database);
    expect(traces().filter((trace) => !trace.test(before))).toEqual([]);
    const report = await eraseTester(service.service, await target(service, "wrensecret@mail.example"));
    expect(report.remaining).toEqual({});
    expect(report.counts).toMatchObject({
      sessions: 12,
      tester_handles: 1,
      tester_invites: 1,
      playtest_keys: 1,
    });
    await service.service.arrivals.flush();
    const after = await readStoredText(database);
    expect(traces().filter((trace) => trace.test(after))).toEqual([]);
    expect(after).toMatch(/robin-phone/);
    const keys = await service.get(`/api/v1/batches/ember/${batch.id}/keys`);
    expect(keys.json.keys.map(({ status }: { status: string }) => status).sort()).toEqual([
      "available",
      "available",
      "redeemed",
    ]);
  });
});

describe("an interrupted erasure", () => {
  it("continues after every step, with the counts of all runs", async () => {
    const service = await start();
    const studio = await createStudio(service);
    const random = createChoices(3);
    const sessions = Array.from({ length: 4 }, (_, index) =>
      playSession(random, studio, { name: `session${index}`, device: "phone", handle: "wren" }),
    );
    await send(service, interleave(random, sessions), new Map());
    await service.analysis.drain();
    const chosen = await target(service, "wren");
    const { counts } = await previewErasure(service.service, chosen);
    const { store } = service.service;
    for (let steps = 1; steps <= 6; steps += 1) {
      let left = steps === 1 ? 1 : 2;
      const write: typeof store.write = async (work) => {
        if (left === 0) throw new Error("killed");
        left -= 1;
        return await store.write(work);
      };
      await expect(eraseTester({ ...service.service, store: { ...store, write } }, chosen)).rejects.toThrow(
        "killed",
      );
    }
    expect((await service.get("/api/v1/sessions")).json.total).toBe(0);
    const report = await eraseTester(service.service, chosen);
    expect(report).toMatchObject({ counts, remaining: {} });
    expect(await store.readDb.selectFrom("erasures").selectAll().execute()).toEqual([]);
  });
});

/** Stops the erasure after a number of transactions, like a kill. */
async function interrupt(service: TestService, chosen: ErasureTarget, steps: number): Promise<void> {
  const { store } = service.service;
  let left = steps;
  const write: typeof store.write = async (work) => {
    if (left === 0) throw new Error("killed");
    left -= 1;
    return await store.write(work);
  };
  const erasure = eraseTester({ ...service.service, store: { ...store, write } }, chosen);
  await expect(erasure).rejects.toThrow("killed");
}

describe("an interrupted erasure that is repeated", () => {
  const play = (service: TestService, name: string) =>
    sendTelemetry(service, {
      gameId: "ember",
      clientSessionId: name,
      deviceId: "phone",
      testerHandle: "wren",
      events: [{ id: "e1", name: "jump", timestamp: NOW - 1000 }],
    });

  it.each([
    ["in further games", "wren"],
    ["with another name", "phone"],
  ])("leaves nothing %s", async (_case, name) => {
    const service = await start();
    await createStudio(service);
    for (const session of ["c1", "c2"]) await play(service, session);
    const first = await target(service, "wren");
    await interrupt(service, first, 2);
    const tide = await service.addGame("tide");
    const again = { ...first, name, gameIds: [...first.gameIds, tide] };
    const report = await eraseTester(service.service, again);
    expect(report).toMatchObject({ counts: { sessions: 2 }, remaining: {} });
    const { readDb } = service.service.store;
    expect(await readDb.selectFrom("erasures").selectAll().execute()).toEqual([]);
  });

  it("has the complete report if only the receipt could not be written", async () => {
    const service = await start();
    await createStudio(service);
    await play(service, "c1");
    const chosen = await target(service, "wren");
    const failing = { begin: async () => {}, end: () => Promise.reject(new Error("disk full")) };
    await expect(eraseTester(service.service, chosen, failing)).rejects.toThrow("disk full");
    const { readDb } = service.service.store;
    expect(JSON.stringify(await readDb.selectFrom("erasures").selectAll().execute())).not.toMatch(
      /wren|phone/,
    );
    const report = await eraseTester(service.service, chosen);
    expect(report).toMatchObject({ counts: { sessions: 1 }, remaining: {} });
  });

  it("erases nothing after a complete one", async () => {
    const service = await start();
    await createStudio(service);
    await play(service, "c1");
    const chosen = await target(service, "wren");
    await eraseTester(service.service, chosen);
    expect(await eraseTester(service.service, chosen)).toMatchObject({ counts: {}, remaining: {} });
    const unknown = { ...chosen, name: "nobody" };
    await expect(eraseTester(service.service, unknown)).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("a tester is found", () => {
  it("by the player id of bug reports alone", async () => {
    const service = await start();
    await createStudio(service);
    for (const playerId of ["only-reports", "robin"])
      await service.post("/api/telemetry/bug-report", {
        ...{ gameId: "ember", idempotencyKey: playerId, title: `by ${playerId}`, description: "d", playerId },
      });
    const report = await eraseTester(service.service, await target(service, "only-reports"));
    expect(report).toMatchObject({ counts: { bug_reports: 1 }, remaining: {} });
    const { items } = (await service.get("/api/v1/bug-reports/ember")).json;
    expect(items).toMatchObject([{ title: "by robin" }]);
  });

  it("by an email address in any case, with open invites to the same address", async () => {
    const service = await start();
    await createStudio(service);
    const { writeDb } = service.service.store;
    const { id: gameId } = await requireGame(writeDb, service.accountId, "ember");
    const invite = async (keys: readonly string[], email: string) => {
      const batch = await createBatch(writeDb, service.service, gameId, emailBatch);
      await addPlaytestKeys(writeDb, service.service, batch, keys);
      const { keyId } = await inviteTester(writeDb, service.service, batch, email, null);
      return { batch, key: await requirePlaytestKey(writeDb, batch, keyId) };
    };
    const nobody = { handle: null, country: null, userAgent: null, ip: null };
    const { batch, key } = await invite(["A1", "A2"], "Wren@mail.example");
    await redeemPlaytestKey(writeDb, service.service, batch, key, { ...nobody, email: "other@mail.example" });
    await invite(["B1"], "Wren@mail.example");
    await invite(["C1"], "robin@mail.example");
    const report = await eraseTester(service.service, await target(service, "OTHER@mail.example"));
    expect(report).toMatchObject({ counts: { tester_invites: 2, playtest_keys: 2 }, remaining: {} });
    const left = await writeDb.selectFrom("tester_invites").select("email").execute();
    expect(left).toEqual([{ email: "robin@mail.example" }]);
    const statuses = await writeDb.selectFrom("playtest_keys").select("status").orderBy("status").execute();
    expect(statuses.map(({ status }) => status)).toEqual(["available", "available", "redeemed", "reserved"]);
  });
});

describe("late telemetry", () => {
  const play = (body: object) => ({
    gameId: "ember",
    deviceId: "phone",
    events: [{ id: "e1", name: "jump", timestamp: NOW - 1000 }],
    ...body,
  });

  it("is refused for an erased session, and for play of the tester before the erasure", async () => {
    const service = await start();
    const { formId } = await createStudio(service);
    const sessionId = await sendTelemetry(service, play({ clientSessionId: "c1" }));
    service.clock.now = NOW + 60_000;
    await eraseTester(service.service, await target(service, "phone"));
    const refused = [
      { gameId: "ember", sessionId, events: [] },
      play({ clientSessionId: "c1", startedAt: NOW + 90_000 }),
      play({ clientSessionId: "offline", startedAt: NOW + 30_000 }),
      play({ clientSessionId: "offline without a start" }),
    ];
    for (const body of refused) {
      const answer = await service.post("/api/telemetry", body);
      expect([answer.status, answer.json.reason]).toEqual([409, "erased"]);
    }
    const report = await service.post("/api/telemetry/bug-report", {
      gameId: "ember",
      sessionId,
      idempotencyKey: "k",
      title: "t",
      description: "d",
    });
    expect([report.status, report.json.reason]).toEqual([409, "erased"]);
    const answers = { requestId: "late", formId, sessionId, responses: [{ fieldId: "fun", value: "3" }] };
    const feedback = await service.post("/api/telemetry/feedback", answers);
    expect([feedback.status, feedback.json.reason]).toEqual([409, "erased"]);
    const { readDb } = service.service.store;
    for (const table of ["bug_reports", "feedback_submissions"] as const)
      expect(await readDb.selectFrom(table).selectAll().execute()).toEqual([]);
    expect((await service.get("/api/v1/sessions")).json.total).toBe(0);
    await service.service.arrivals.flush();
    const refusals = JSON.stringify((await service.get("/api/v1/telemetry/refusals")).json);
    expect(refusals).toContain("erased");
    expect(JSON.stringify(await readDb.selectFrom("arrivals").selectAll().execute())).not.toMatch(
      /phone|sess_/,
    );
  });

  it("is accepted for what the device plays later, as a new tester", async () => {
    const service = await start();
    await createStudio(service);
    await sendTelemetry(service, play({ clientSessionId: "c1" }));
    await eraseTester(service.service, await target(service, "phone"));
    service.clock.now = NOW + 60_000;
    await sendTelemetry(service, play({ clientSessionId: "c2", startedAt: NOW + 30_000 }));
    const { rollup } = (await service.get("/api/v1/testers/ember/phone")).json;
    expect(rollup.sessionCount).toBe(1);
  });
});
