/** What one telemetry request takes from the budgets of its key and game. */
import { DAY_MS } from "../../shared/time-units.ts";
import type { BudgetClaim, SourceAmounts } from "../db/budgets/budgets.ts";
import type { Db, GameRow, SessionRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { hasBuild, hasDevice, isDeviceKnownSince } from "./known-source-queries.ts";

/** Who sends a request. Imports of an operator have no sender, and no budgets. */
export interface IngestSender {
  readonly keyHash: string;
  /** The network of the address. */
  readonly network: string;
  /** The size of the body after decompression. */
  readonly bodyBytes: number;
}

/** The columns of a session that decide what a request takes. */
type TargetSession = Pick<SessionRow, "account_id" | "id" | "device_id" | "build" | "received_at">;

export class IngestBudgets {
  readonly network: string;
  readonly #db: Db;
  readonly #service: Service;
  readonly #game: GameRow;
  readonly #claim: BudgetClaim;
  readonly #bodyBytes: number;
  readonly #validEvents: number;
  #session: TargetSession | null = null;
  #ofSession: SourceAmounts = {};

  constructor(
    db: Db,
    service: Service,
    game: GameRow,
    { keyHash, network, bodyBytes }: IngestSender,
    validEvents: number,
  ) {
    this.network = network;
    this.#db = db;
    this.#service = service;
    this.#game = game;
    this.#bodyBytes = bodyBytes;
    this.#validEvents = validEvents;
    const isKnownDevice = () => this.#isKnownDevice();
    this.#claim = service.budgets.claim(db, { keyHash, gameId: game.id, network, isKnownDevice });
  }

  /**
   * Takes what the request needs: for its events, and for its session if that is new. Throws `rate_limited` before anything is
   * written, because an error after a write makes concurrent requests wait.
   */
  async admit(session: TargetSession, isNew: boolean): Promise<void> {
    // A session of another device may have been in the way of the one that was taken for before.
    if (this.#session !== null)
      this.#claim.refund({ ...this.#ofSession, ...this.#measureEvents(this.#validEvents) });
    this.#session = session;
    this.#ofSession = isNew ? await this.#measureSession(session) : {};
    const spent = await this.#claim.take({ ...this.#ofSession, ...this.#measureEvents(this.#validEvents) });
    if (spent) throw this.#service.budgets.toError(spent);
  }

  /** Takes a new event name. Returns false if the budget is spent. */
  async takeName(): Promise<boolean> {
    return (await this.#claim.take({ "new-event-names": 1 })) === null;
  }

  /** Releases what was taken for events that are not stored, and for a session that existed already or was not created. */
  settle(session: Pick<SessionRow, "id"> | null, stored: number): void {
    const { events = 0, bytes = 0 } = this.#measureEvents(stored);
    const taken = this.#measureEvents(this.#validEvents);
    this.#claim.refund({ events: (taken.events ?? 0) - events, bytes: (taken.bytes ?? 0) - bytes });
    if (session === null || session.id !== this.#session?.id) this.#claim.refund(this.#ofSession);
  }

  /** Releases everything. */
  release(): void {
    this.#claim.release();
  }

  #measureEvents(events: number): SourceAmounts {
    // What is not stored counts too, because its share of the body is unknown.
    return { events, bytes: events === 0 ? 0 : this.#bodyBytes };
  }

  async #measureSession({ account_id, device_id, build }: TargetSession): Promise<SourceAmounts> {
    const scope = { gameId: this.#game.id, accountId: account_id };
    const isNewDevice = device_id !== null && !(await hasDevice(this.#db, scope.gameId, device_id));
    const isNewBuild = !(await hasBuild(this.#db, scope, build));
    return {
      sessions: 1,
      ...(isNewDevice ? { "new-devices": 1 } : {}),
      ...(isNewBuild ? { "new-builds": 1 } : {}),
    };
  }

  async #isKnownDevice(): Promise<boolean> {
    const session = this.#session;
    if (session === null) return false;
    const since = this.#service.now() - DAY_MS;
    return await isDeviceKnownSince(this.#db, this.#game.id, session.device_id, since);
  }
}

/** Counts a request, or nothing if it has no sender. */
export function startBudgets(
  db: Db,
  service: Service,
  game: GameRow,
  sender: IngestSender | null,
  valid: readonly unknown[],
): IngestBudgets | null {
  return sender && new IngestBudgets(db, service, game, sender, valid.length);
}
