/** Opens gates for CI, and lists them. */

import { HttpError } from "../../contract/errors.ts";
import { DEFAULT_ENV } from "../../contract/fields.ts";
import {
  COMMIT_REQUIRED,
  DEFAULT_GATE_WAIT_MS,
  type listGates,
  MAX_OPEN_GATES,
  type openGate,
} from "../../contract/gates.ts";
import { gateRules, requiredTesters } from "../../gate/config.ts";
import { isBuildWord } from "../../shared/build-words.ts";
import type { Handler } from "../accounts/handler.ts";
import { toKeyId } from "../accounts/keys.ts";
import { recordChange } from "../audit/audit.ts";
import { hasSessions, readRegistrations } from "../builds/registration-queries.ts";
import { badRequest, toIssues, unknownName } from "../core/http-errors.ts";
import { emptyColumns } from "../db/rows.ts";
import type { Db, GateRow, WebhookRow } from "../db/schema.ts";
import { toGame } from "../games/game-queries.ts";
import { requireIngestGame, toIngestScope } from "../games/key-game.ts";
import { createListHandler } from "../games/list-handler.ts";
import { gateOpened } from "../notifications/events.ts";
import { queueEvent } from "../notifications/outbox.ts";
import {
  countOpenGates,
  findSameGate,
  insertGate,
  storedGates,
  toGate,
  updateOpenGate,
} from "./gate-queries.ts";
import { findReceiver, toAddressee } from "./receiver.ts";

export const handleListGates: Handler<typeof listGates> = createListHandler<typeof listGates>(storedGates);

type OpenedGate = Parameters<Handler<typeof openGate>>[0]["body"];

export const handleOpenGate: Handler<typeof openGate> = async ({ body }, { service, key }) => {
  const rules = parseRules(body);
  checkBuilds(body);
  const opened = await service.commits.run(async (db) => {
    const game = await requireIngestGame(db, toIngestScope(key), body.gameId);
    const { a = "previous", b, commit = null, waitMs = DEFAULT_GATE_WAIT_MS } = body;
    const webhook = await requireReceiver(db, { account_id: key.account_id, game_id: game.id }, body);
    await requireBuilds(db, game.id, { a, b });
    const now = service.now();
    const row: GateRow = {
      ...emptyColumns("gates"),
      ...{ game_id: game.id, id: service.newId("gate"), account_id: key.account_id, a, b },
      ...{ environment: body.env ?? rules.env ?? DEFAULT_ENV, commit_hash: commit },
      ...{ receiver: webhook.name ?? webhook.id, rules: JSON.stringify(rules), state: "open" },
      ...{ opened_at: now, deadline: now + waitMs, testers: 0, judged_sessions: -1 },
    };
    const { gate, isNew } = await storeGate(db, row);
    const answer = { game: toGame(game), gate: toGate(gate), isNew };
    // Nothing is sent again for a job that is repeated.
    if (!isNew) return { isQueued: false, answer };
    await recordChange(db, service, {
      ...{ action: "gates.open", actor: "ci", accountId: key.account_id, target: game.id },
      detail: { gate: gate.id, build: b, receiver: webhook.id, key: toKeyId(key.hash) },
    });
    const create = () => gateOpened(gate, game, requiredTesters(rules));
    const to = { ...toAddressee(webhook, gate), isOnly: true } as const;
    const isQueued =
      webhook.format === "github-status" && (await queueEvent(db, service, gate, "gate.opened", create, to));
    return { isQueued, answer };
  }, NOTHING_TO_UNDO);
  if (opened.isQueued) service.wakeDeliveries();
  return opened.answer;
};

/** Nothing outside of the database changes. */
const NOTHING_TO_UNDO = () => {};

/** Throws `bad_request` with the name of each invalid field. */
function parseRules({ rules = {} }: OpenedGate) {
  const { data, error } = gateRules.safeParse(rules);
  if (!error) return data;
  throw badRequest(toIssues(error).map((issue) => ({ ...issue, path: ["rules", ...issue.path] })));
}

/** Throws `bad_request` for words that may name another build later, and for one build. */
function checkBuilds({ a, b }: OpenedGate): void {
  const issue = (field: string, message: string) => badRequest([{ path: [field], code: "custom", message }]);
  if (isBuildWord(b))
    throw issue("b", "must be a version, because another build may be the latest one later");
  if (a === "latest") throw issue("a", "must be a version or `previous`");
  if (a === b) throw issue("a", "must be another build than b");
}

/** Throws `not_found` for a receiver that cannot get gates of the game, and `bad_request` if it needs a commit. */
async function requireReceiver(
  db: Db,
  scope: Pick<GateRow, "account_id" | "game_id">,
  { to, commit }: OpenedGate,
): Promise<WebhookRow> {
  const webhook = await findReceiver(db, scope, to);
  if (webhook === null) throw unknownName("unknown_receiver", to);
  if (webhook.format !== "github-status" || commit !== undefined) return webhook;
  const message = "is required, because the receiver shows statuses of commits";
  const error = badRequest([{ path: ["commit"], code: "invalid_type", message }]);
  throw new HttpError("bad_request", {
    ...{ message: error.message, issues: error.issues, extra: { reason: COMMIT_REQUIRED } },
  });
}

/** Throws `not_found` if nobody has played a, or if b is not registered in a game that registers builds and nobody has played it. */
async function requireBuilds(
  db: Db,
  gameId: string,
  { a, b }: { readonly a: string; readonly b: string },
): Promise<void> {
  if (a !== "previous" && !(await hasSessions(db, { gameId, version: a })))
    throw unknownBuild(`Nobody has played the baseline ${a}`);
  const { registered } = await readRegistrations(db, gameId);
  if (registered.size === 0 || registered.has(b) || (await hasSessions(db, { gameId, version: b }))) return;
  throw unknownBuild(`The game registers builds, but not ${b}, and nobody has played it`);
}

const unknownBuild = (message: string) =>
  new HttpError("not_found", { message, extra: { reason: "unknown_build", message } });

/** Stores a gate, or replaces the open one for the same builds and receiver. Throws `conflict` if too many are open. */
async function storeGate(db: Db, row: GateRow): Promise<{ readonly gate: GateRow; readonly isNew: boolean }> {
  const same = await findSameGate(db, row);
  if (same) {
    const changed = { rules: row.rules, deadline: row.deadline, judged_sessions: row.judged_sessions };
    await updateOpenGate(db, same, changed);
    return { gate: { ...same, ...changed }, isNew: false };
  }
  if ((await countOpenGates(db, row.game_id)) >= MAX_OPEN_GATES) {
    const message = `The game has ${MAX_OPEN_GATES} open gates, which is the maximum`;
    throw new HttpError("conflict", { message, extra: { reason: "too_many_gates", message } });
  }
  await insertGate(db, row);
  return { gate: row, isNew: true };
}
