/** The table of handlers. The type checker reports endpoints without a handler. */
import type { Endpoint } from "../../contract/define.ts";
import type { EndpointName, Endpoints } from "../../contract/index.ts";
import type { Handler } from "../accounts/handler.ts";
import * as crashHandlers from "../analysis/crash-handlers.ts";
import * as heatmapHandlers from "../analysis/heatmap-handlers.ts";
import * as insightHandlers from "../analysis/insight-handlers.ts";
import * as dropoffHandlers from "../analytics/dropoff-handlers.ts";
import * as funnelHandlers from "../analytics/funnel-handlers.ts";
import * as retentionHandlers from "../analytics/retention-handlers.ts";
import * as trendHandlers from "../analytics/trend-handlers.ts";
import * as builds from "../builds/build-handlers.ts";
import * as factsHandlers from "../builds/facts-handlers.ts";
import * as statusHandlers from "../builds/status-handlers.ts";
import * as suggestionHandlers from "../builds/suggestion-handlers.ts";
import * as experiments from "../experiments/experiment-handlers.ts";
import * as bugReportHandlers from "../feedback/bug-report-handlers.ts";
import * as feedback from "../feedback/feedback-handlers.ts";
import * as games from "../games/game-handlers.ts";
import * as gates from "../gates/gate-handlers.ts";
import * as ids from "../ids/id-handlers.ts";
import * as insights from "../insights/insight-handlers.ts";
import * as notifications from "../notifications/notification-handlers.ts";
import * as playtests from "../playtests/playtest-handlers.ts";
import * as sessions from "../sessions/session-handlers.ts";
import * as webhookHandlers from "../sessions/webhook-handlers.ts";
import * as sessionEventHandlers from "../telemetry/session-event-handlers.ts";
import * as tailHandlers from "../telemetry/tail-handlers.ts";
import * as telemetry from "../telemetry/telemetry-handlers.ts";
import * as archetypeHandlers from "../testers/archetype-handlers.ts";
import * as journeyHandlers from "../testers/journey-handlers.ts";
import * as testers from "../testers/tester-handlers.ts";
import type { AppService } from "./service.ts";

/** The handler of the endpoint `getGame` is `handleGetGame`. */
type Handlers = {
  readonly [Name in EndpointName as `handle${Capitalize<Name>}`]: Handler<Endpoints[Name], AppService>;
};

const handlers: Handlers = {
  ...crashHandlers,
  ...insightHandlers,
  ...builds,
  ...factsHandlers,
  ...gates,
  ...statusHandlers,
  ...suggestionHandlers,
  ...dropoffHandlers,
  ...funnelHandlers,
  ...retentionHandlers,
  ...trendHandlers,
  ...experiments,
  ...feedback,
  ...bugReportHandlers,
  ...games,
  ...ids,
  ...insights,
  ...playtests,
  ...heatmapHandlers,
  ...sessions,
  ...webhookHandlers,
  ...notifications,
  ...telemetry,
  ...sessionEventHandlers,
  ...tailHandlers,
  ...archetypeHandlers,
  ...testers,
  ...journeyHandlers,
};

const handlersByName: ReadonlyMap<string, unknown> = new Map(Object.entries(handlers));

/** Returns the handler of an endpoint. Its input must be decoded with the endpoint's schemas. */
export function findHandler({ name }: Endpoint): Handler<Endpoint, AppService> {
  return handlersByName.get(`handle${name.charAt(0).toUpperCase()}${name.slice(1)}`) as Handler<
    Endpoint,
    AppService
  >;
}
