/** Traces for OpenTelemetry: a span a request, its commit of telemetry within it, and a trace of its own an analysis. */
import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from "@opentelemetry/sdk-trace-base";
import { ModelStopped } from "../analysis/provider/faults.ts";
import type { Observer, RequestInfo, RequestOutcome } from "../core/observer.ts";
import { withTimeout } from "../core/with-timeout.ts";
import { isProbe } from "./probes.ts";
import { redactKeys } from "./redact.ts";
import { parseTraceparent } from "./traceparent.ts";

/** How long a stop waits for the last spans to be taken, ms. */
const FLUSH_MS = 3000;
/** The methods that semantic conventions know; another is `_OTHER`, and is named `HTTP`. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"]);

export interface Traces extends Observer {
  /** Sends what is left, waiting no longer than three seconds. */
  stop(): Promise<void>;
}

export interface TraceSettings {
  /** The version of this program. */
  readonly version: string;
  /** Told when spans cannot be sent, once until they can again. */
  report(message: string, error: unknown): void;
}

/** Starts tracing to where OpenTelemetry's own environment variables say, which its packages read. */
export function startTraces({ version, report }: TraceSettings): Traces {
  const named = resourceFromAttributes({ "service.name": "playtest", "service.version": version });
  const provider = new BasicTracerProvider({
    resource: named.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(withFailureReports(new OTLPTraceExporter(), report))],
  });
  const spans = new SpanRecorder(provider.getTracer("playtest", version));
  return {
    request: (asked, answer) => (isProbe(asked.endpoint) ? answer() : spans.traceRequest(asked, answer)),
    ingest: (commit) => spans.traceWork("ingest commit", commit),
    analysis: (sessionId, analyze) => spans.traceAnalysis(sessionId, analyze),
    transactionRetried: () => {},
    async stop() {
      await withTimeout(FLUSH_MS, provider.shutdown()).catch((error: unknown) =>
        report("sending the last traces", error),
      );
    },
  };
}

/** Makes spans, and knows within which one the code at hand runs. */
class SpanRecorder {
  readonly #tracer: Tracer;
  readonly #current = new AsyncLocalStorage<Context>();

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  /** A request that assistants' tools make within this process is a part of the one that made it. */
  async traceRequest(asked: RequestInfo, answer: () => Promise<RequestOutcome>): Promise<RequestOutcome> {
    const sender = parseTraceparent(asked.header);
    const around = this.#current.getStore() ?? ROOT_CONTEXT;
    const parent = sender ? trace.setSpanContext(ROOT_CONTEXT, sender) : around;
    const options = { kind: SpanKind.SERVER, attributes: toSpanAttributes(asked) };
    const span = this.#tracer.startSpan(getSpanName(asked), options, parent);
    const told = await this.#run(span, parent, answer);
    const { status } = told.response;
    span.setAttribute("http.response.status_code", status);
    if (told.bytes !== null) span.setAttribute("http.response.body.size", told.bytes);
    if (status >= 500) {
      span.setAttribute("error.type", String(status));
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end();
    return told;
  }

  /** The worker is woken by requests, and is a part of none: each analysis begins a trace. */
  async traceAnalysis(sessionId: string, analyze: () => Promise<void>): Promise<void> {
    const attributes = { "playtest.session.id": sessionId };
    const span = this.#tracer.startSpan("analyze session", { attributes }, ROOT_CONTEXT);
    await this.#ending(span, ROOT_CONTEXT, analyze);
  }

  async traceWork<T>(name: string, work: () => Promise<T>): Promise<T> {
    const parent = this.#current.getStore() ?? ROOT_CONTEXT;
    return await this.#ending(this.#tracer.startSpan(name, {}, parent), parent, work);
  }

  async #ending<T>(span: Span, parent: Context, work: () => Promise<T>): Promise<T> {
    try {
      return await this.#run(span, parent, work);
    } catch (error) {
      // What is let go because the service stops has not failed.
      if (!(error instanceof ModelStopped)) {
        span.setAttribute("error.type", error instanceof Error ? error.name : typeof error);
        span.setStatus({ code: SpanStatusCode.ERROR, message: redactKeys(String(error)) });
      }
      throw error;
    } finally {
      span.end();
    }
  }

  #run<T>(span: Span, parent: Context, work: () => Promise<T>): Promise<T> {
    return this.#current.run(trace.setSpan(parent, span), work);
  }
}

function getSpanName({ method, pattern }: RequestInfo): string {
  const known = METHODS.has(method) ? method : "HTTP";
  return pattern === null ? known : `${known} ${pattern}`;
}

/**
 * By the semantic conventions of HTTP servers (https://opentelemetry.io/docs/specs/semconv/http/http-spans/). The query
 * is left out though it is recommended, for a webhook's holds its key.
 */
function toSpanAttributes({ method, path, pattern, address, requestId }: RequestInfo): Attributes {
  const isKnown = METHODS.has(method);
  return {
    "http.request.method": isKnown ? method : "_OTHER",
    ...(isKnown ? {} : { "http.request.method_original": redactKeys(method) }),
    ...(pattern === null ? {} : { "http.route": pattern }),
    "url.path": path,
    "url.scheme": "http",
    "client.address": address,
    "playtest.request.id": requestId,
  };
}

/** An exporter that tells when it begins to fail: spans are lost then, and nothing else is. */
function withFailureReports(inner: SpanExporter, report: TraceSettings["report"]): SpanExporter {
  let isFailing = false;
  return {
    export(spans, done) {
      inner.export(spans, (result) => {
        const fails = result.code !== 0;
        if (fails && !isFailing) report("sending traces", result.error ?? new Error("They were not taken"));
        isFailing = fails;
        done(result);
      });
    },
    shutdown: () => inner.shutdown(),
    forceFlush: async () => await inner.forceFlush?.(),
  };
}
