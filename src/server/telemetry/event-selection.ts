/** Selects the valid events of a request that its session accepts, within the limits of the session and the budgets of the sender. */
import { describePrunedSession } from "../../contract/event-faults.ts";
import type { Db, GameRow, SessionRow } from "../db/schema.ts";
import type { EventNames, TelemetryEvent } from "./event-names.ts";
import type { SessionAdmission } from "./find-session.ts";
import type { IngestBudgets } from "./ingest-budgets.ts";
import { acceptEvents, type SessionLimits } from "./session-limits.ts";

interface SelectedEvents {
  readonly accepted: readonly TelemetryEvent[];
  /** The errors of the others. */
  readonly refused: Map<TelemetryEvent, string>;
}

interface SelectedRequest {
  readonly game: GameRow;
  readonly valid: readonly TelemetryEvent[];
  /** The number of events, with the invalid ones. */
  readonly sent: number;
  readonly budgets: IngestBudgets | null;
}

type SelectingSession = Pick<SessionRow, "id" | "stored_events" | "stored_bytes" | "events_pruned_at">;

/** The error of a valid event with a new name, beyond the budget of new names. */
const UNNAMED = "name is new, and the budget of new event names per day is spent";

export class EventSelection implements SessionAdmission {
  readonly #db: Db;
  readonly #service: { readonly eventNames: EventNames; readonly sessionLimits: SessionLimits };
  readonly #request: SelectedRequest;
  /** The last selection, by session. It is not repeated, because it takes new names from a budget. */
  #selected: { readonly sessionId: string; readonly events: SelectedEvents } | null = null;

  constructor(
    db: Db,
    service: { readonly eventNames: EventNames; readonly sessionLimits: SessionLimits },
    request: SelectedRequest,
  ) {
    this.#db = db;
    this.#service = service;
    this.#request = request;
  }

  get network(): string | null {
    return this.#request.budgets?.network ?? null;
  }

  /** A request whose events are all refused creates no session: it would be one that nobody has played. */
  async admit(session: SessionRow, isNew: boolean): Promise<boolean> {
    const { budgets, sent, valid } = this.#request;
    const isEmpty = isNew && sent > 0 && valid.length === 0;
    if (isEmpty) return false;
    await budgets?.admit(session, isNew);
    if (!isNew || sent === 0) return true;
    return (await this.select(session)).accepted.length > 0;
  }

  /** The errors of the events of a request that creates no session. */
  get refused(): SelectedEvents["refused"] {
    return this.#selected?.events.refused ?? new Map();
  }

  async select(session: SelectingSession): Promise<SelectedEvents> {
    if (this.#selected?.sessionId === session.id) return this.#selected.events;
    const events = await this.#select(session);
    this.#selected = { sessionId: session.id, events };
    return events;
  }

  async #select(session: SelectingSession): Promise<SelectedEvents> {
    const { game, valid, budgets } = this.#request;
    const { events_pruned_at: prunedAt } = session;
    if (prunedAt !== null) return { accepted: [], refused: refuse(valid, describePrunedSession(prunedAt)) };
    const { accepted, refusal } = acceptEvents(this.#service.sessionLimits, session, valid);
    const { named, unnamed } = await this.#service.eventNames.admit(this.#db, game, accepted, budgets);
    const beyond = refusal === null ? [] : refuse(valid.slice(accepted.length), refusal);
    return { accepted: named, refused: new Map([...beyond, ...refuse(unnamed, UNNAMED)]) };
  }
}

const refuse = (events: Iterable<TelemetryEvent>, error: string) =>
  new Map([...events].map((event) => [event, error] as const));
