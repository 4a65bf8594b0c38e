/** Feedback: listing forms, and submitting answers. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FormField } from "../../../src/contract/forms.ts";
import { issueKey } from "../../../src/server/accounts/keys.ts";
import { updateRow } from "../../../src/server/db/rows.ts";
import { createForm } from "../../../src/server/feedback/forms.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { readSession, sendTelemetry } from "../telemetry-helpers.ts";

const fields: FormField[] = [
  { id: "fun", label: "Was it fun?", kind: "rating-1-5", required: true },
  { id: "again", label: "Again?", kind: "yes-no" },
  { id: "word", label: "In a word?", kind: "short-text" },
  { id: "why", label: "Why?", kind: "long-text", required: false },
];

let service: TestService;
let gameId: string;
let formId: string;
let sessionId: string;
beforeEach(async () => {
  service = await startTestService();
  gameId = await service.addGame("ember");
  formId = (await makeForm(gameId, "End of session")).id;
  sessionId = await sendTelemetry(service, { gameId: "ember", deviceId: "d1" });
});
afterEach(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

const makeForm = (game: string, name: string) =>
  createForm(service.service.store.writeDb, service.service, game, {
    name,
    fields,
    triggerHint: "session_end",
    active: true,
  });

type Responses = { fieldId: string; value: string | null }[];
const fun = (value: string): Responses => [{ fieldId: "fun", value }];

const submit = (responses: Responses, more: Record<string, unknown> = {}, options = {}) =>
  service.post(
    "/api/telemetry/feedback",
    { requestId: "r1", formId, sessionId, responses, ...more },
    options,
  );

const forms = async () => (await service.get("/api/v1/games/ember/prompts")).json.forms;

describe("the forms of a game", () => {
  it("are listed newest first", async () => {
    service.clock.now += 1;
    const later = await makeForm(gameId, "After the boss");
    await updateRow(service.service.store.writeDb, "feedback_forms", later, { active: 0 });
    const { json } = await service.get("/api/v1/games/ember/prompts");
    expect(json.game).toMatchObject({ id: gameId, slug: "ember" });
    expect(json.forms).toEqual([
      {
        id: later.id,
        name: "After the boss",
        fields,
        triggerHint: "session_end",
        active: false,
        responseCount: 0,
      },
      {
        id: formId,
        name: "End of session",
        fields,
        triggerHint: "session_end",
        active: true,
        responseCount: 0,
      },
    ]);
    expect(formId).toMatch(/^ff_/);
  });

  it("count submissions, not answers or repeated requests", async () => {
    await submit([...fun("4"), { fieldId: "why", value: "It is" }]);
    await submit([...fun("4"), { fieldId: "why", value: "It is" }]);
    await submit(fun("2"), { requestId: "r2" });
    await makeForm(gameId, "Unanswered");
    const counts = (await forms()).map((form: { name: string; responseCount: number }) => [
      form.name,
      form.responseCount,
    ]);
    expect(new Map(counts)).toEqual(
      new Map([
        ["End of session", 2],
        ["Unanswered", 0],
      ]),
    );
  });
});

describe("a submission", () => {
  it("returns its ids, and appears in its session", async () => {
    service.clock.now += 5;
    const { status, json } = await submit([
      ...fun(" 4 "),
      { fieldId: "again", value: "True" },
      { fieldId: "word", value: "  " },
      { fieldId: "why", value: "Ünter\nuns" },
    ]);
    expect(status).toBe(200);
    expect(json).toEqual({
      ok: true,
      submissionId: expect.stringMatching(/^sub_/),
      formId,
      sessionId,
      responseIds: [expect.any(String), expect.any(String), expect.any(String)],
    });
    expect(new Set(json.responseIds).size).toBe(3);
    const [one, two, three] = json.responseIds;
    expect((await readSession(service, sessionId)).session.feedback).toEqual([
      {
        submissionId: json.submissionId,
        formId,
        formName: "End of session",
        submittedAt: NOW + 5,
        responses: [
          { id: one, fieldId: "fun", label: "Was it fun?", kind: "rating-1-5", value: "4" },
          { id: two, fieldId: "again", label: "Again?", kind: "yes-no", value: "yes" },
          { id: three, fieldId: "why", label: "Why?", kind: "long-text", value: "Ünter\nuns" },
        ],
      },
    ]);
  });

  it("returns the same response to repeated requests, even after the form changed and concurrently", async () => {
    const first = await submit(fun("4"));
    await updateRow(
      service.service.store.writeDb,
      "feedback_forms",
      { game_id: gameId, id: formId },
      { fields: "[]" },
    );
    service.clock.now += 1000;
    const again = await Promise.all(Array.from({ length: 20 }, () => submit(fun("4"), { extra: 1 })));
    for (const answer of again) expect([answer.status, answer.text]).toEqual([200, first.text]);
    expect((await readSession(service, sessionId)).session.feedback).toHaveLength(1);
  });

  it("is stored once for concurrent first requests", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => submit(fun("4"))));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await forms())[0].responseCount).toBe(1);
  });

  it("with the same requestId and other content returns 409 and stores nothing", async () => {
    await submit(fun("4"));
    const other = await sendTelemetry(service, { gameId: "ember" });
    const second = (await makeForm(gameId, "Second")).id;
    for (const answer of [
      await submit(fun("5")),
      await submit(fun("9")),
      await submit([]),
      await submit(fun("4"), { sessionId: other }),
      await submit(fun("4"), { formId: second }),
      await submit([...fun("4"), { fieldId: "why", value: "" }]),
    ]) {
      expect(answer.status).toBe(409);
      expect(answer.json).toEqual({ error: expect.any(String), reason: "idempotency_conflict" });
    }
    expect((await readSession(service, sessionId)).session.feedback).toHaveLength(1);
    expect((await readSession(service, other)).session.feedback).toEqual([]);
  });

  it("that is rejected does not use up its requestId", async () => {
    expect((await submit(fun("6"))).status).toBe(400);
    expect((await submit(fun("5"))).status).toBe(200);
  });
});

describe("answers", () => {
  it("may be numbers, which are stored as text", async () => {
    const rate = async (requestId: string, value: unknown) =>
      await submit([{ fieldId: "fun", value: value as string }], { requestId });
    const { status, json } = await rate("number", 4);
    expect([status, json.responseIds.length]).toEqual([200, 1]);
    expect((await rate("fraction", 3.5)).status).toBe(400);
  });

  const long = (length: number) => "x".repeat(length);
  it.each<[string, Responses, string, (string | number)[]]>([
    ["nothing", [], "no_responses", ["responses"]],
    ["only spaces", fun("  "), "no_responses", ["responses"]],
    ["an unknown field", [{ fieldId: "fan", value: "4" }], "unknown_field", ["responses", 0, "fieldId"]],
    [
      "a name of Object.prototype",
      [{ fieldId: "__proto__", value: "4" }],
      "unknown_field",
      ["responses", 0, "fieldId"],
    ],
    ["a repeated field", [...fun("4"), ...fun("5")], "repeated_field", ["responses", 1, "fieldId"]],
    ["a missing required field", [{ fieldId: "why", value: "So" }], "missing_field", ["responses"]],
    [
      "an empty required field",
      [...fun(""), { fieldId: "why", value: "So" }],
      "missing_field",
      ["responses"],
    ],
    ["a rating of 0", fun("0"), "invalid_value", ["responses", 0, "value"]],
    ["a rating of 6", fun("6"), "invalid_value", ["responses", 0, "value"]],
    ["a fractional rating", fun("3.5"), "invalid_value", ["responses", 0, "value"]],
    [
      "neither yes nor no",
      [...fun("1"), { fieldId: "again", value: "maybe" }],
      "invalid_value",
      ["responses", 1, "value"],
    ],
    [
      "a short text too long",
      [...fun("1"), { fieldId: "word", value: long(501) }],
      "invalid_value",
      ["responses", 1, "value"],
    ],
  ])("with %s are rejected", async (_, responses, reason, path) => {
    const { status, json } = await submit(responses);
    expect([status, json.reason]).toEqual([400, reason]);
    expect(json.issues).toEqual([{ path, code: reason, message: expect.any(String) }]);
    expect((await forms())[0].responseCount).toBe(0);
  });

  it("may be null, which counts as no answer", async () => {
    const { status, json } = await submit([...fun("3"), { fieldId: "word", value: null }]);
    expect([status, json.responseIds.length]).toEqual([200, 1]);
    const blank = await submit([{ fieldId: "fun", value: null }], { requestId: "blank" });
    expect(blank.status).toBe(400);
  });

  it("at the limits are accepted", async () => {
    for (const [at, responses] of [
      fun("1"),
      fun("5"),
      [...fun("3"), { fieldId: "again", value: "NO" }],
      [...fun("3"), { fieldId: "word", value: long(500) }],
      [...fun("3"), { fieldId: "why", value: long(10_000) }],
    ].entries()) {
      expect((await submit(responses, { requestId: `b${at}` })).status).toBe(200);
    }
  });

  it("report all issues, and the first one as the reason", async () => {
    const { json } = await submit([...fun("7"), { fieldId: "fan", value: "4" }]);
    expect(json.reason).toBe("invalid_value");
    expect(json.issues).toHaveLength(2);
  });

  it("in an invalid body report each invalid field", async () => {
    for (const [more, path] of [
      [{ requestId: "" }, ["requestId"]],
      [{ requestId: "x".repeat(129) }, ["requestId"]],
      [{ formId: 5 }, ["formId"]],
      [{ responses: [{ fieldId: "fun", value: true }] }, ["responses", 0, "value"]],
      [{ responses: [{ fieldId: "fun", value: long(10_001) }] }, ["responses", 0, "value"]],
      [{ responses: [{ fieldId: "fun", value: "a\0" }] }, ["responses", 0, "value"]],
    ] as const) {
      const { status, json } = await submit(fun("4"), more);
      expect([status, json.issues[0].path]).toEqual([400, path]);
    }
    expect((await submit(fun("4"), { requestId: "x".repeat(128) })).status).toBe(200);
  });
});

/** The body of a 404. */
const notFound = (reason: string, noun: string, name: string) => ({
  error: "Not found",
  reason,
  message: `This key can access no ${noun} named ${JSON.stringify(name)}`,
});

describe("the times of a submission", () => {
  it("are stored and returned with the session", async () => {
    const read = async () => (await readSession(service, sessionId)).session.feedback;
    const times = { askedAtSec: 300.5, answeredAtSec: 312 };
    expect((await submit(fun("4"), { requestId: "times", ...times })).status).toBe(200);
    expect((await read()).at(-1)).toMatchObject(times);
  });

  it("are optional, and ignored if they are invalid", async () => {
    const odd = { requestId: "odd", askedAtSec: null, answeredAtSec: "soon" };
    const answer = await submit(fun("4"), odd);
    expect(answer.status).toBe(200);
    const { feedback } = (await readSession(service, sessionId)).session;
    const stored = feedback.find(
      ({ submissionId }: { submissionId: string }) => submissionId === answer.json.submissionId,
    );
    expect(Object.keys(stored)).not.toContain("askedAtSec");
  });
});

describe("unknown names", () => {
  it("return 404 with a reason for an unknown form and a form of another game or account", async () => {
    const otherGame = (await makeForm(await service.addGame("tide"), "Tide")).id;
    for (const id of ["ff_none", otherGame]) {
      const answer = await submit(fun("4"), { formId: id });
      expect([answer.status, answer.json]).toEqual([404, notFound("unknown_form", "feedback form", id)]);
    }
    const { keys } = await service.addAccount("others");
    const foreign = await submit(fun("4"), {}, { key: keys.ingest });
    expect([foreign.status, foreign.json]).toEqual([404, notFound("unknown_session", "session", sessionId)]);
  });

  it("return 404 for a session of a game that the key cannot access", async () => {
    const tide = await service.addGame("tide");
    const { writeDb: write } = service.service.store;
    const bound = await issueKey(write, service.accountId, "ingest", NOW, tide);
    expect((await submit(fun("4"), {}, { key: bound })).json).toEqual(
      notFound("unknown_session", "session", sessionId),
    );
    const own = await issueKey(write, service.accountId, "ingest", NOW, gameId);
    expect((await submit(fun("4"), {}, { key: own })).status).toBe(200);
  });
});

it("queues a new analysis of an ended session, and none of an open session", async () => {
  const row = async (id: string) => (await readSession(service, id)).session.status;
  await submit(fun("1"));
  await service.analysis.drain();
  expect(await row(sessionId)).toBe("pending");
  const ended = await sendTelemetry(service, {
    gameId: "ember",
    sessionEnded: true,
    events: [{ id: "e", name: "jump", timestamp: NOW }],
  });
  await service.analysis.drain();
  expect(await row(ended)).toBe("analyzed");
  const before = (await readSession(service, ended)).insights[0].createdAt;
  service.clock.now += 1000;
  await submit(fun("1"), { requestId: "late", sessionId: ended });
  await service.analysis.drain();
  expect(await row(ended)).toBe("analyzed");
  expect((await readSession(service, ended)).insights[0].createdAt).toBe(before + 1000);
});
