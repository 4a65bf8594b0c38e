/** Every environment variable that playtest reads. `Io` offers no others, and the help about them is built from this table. */

interface EnvironmentVariable {
  readonly describe: string;
  /** The flag that overrides it. */
  readonly flag?: string;
}

export const environment = {
  PLAYTEST_KEY: { describe: "management key, for reading; overrides the stored key" },
  PLAYTEST_INGEST_KEY: { describe: "ingest key, for sending telemetry; overrides the stored key" },
  PLAYTEST_CI_KEY: { describe: "CI key, for `builds register` and `gate --detach`" },
  PLAYTEST_BASE_URL: {
    describe: "URL of the service, such as https://playtest.example.com",
    flag: "--base-url",
  },
  PLAYTEST_PROFILE: { describe: "profile with settings and keys", flag: "--profile" },
  PLAYTEST_GAME: { describe: "game id or slug", flag: "--game" },
  PLAYTEST_PROVIDER_KEY: { describe: "API key of the model provider, for `playtest admin providers set`" },
  PLAYTEST_WEBHOOK_TOKEN: { describe: "token of a receiver, for `playtest admin webhooks add`" },
  PLAYTEST_TOKEN_KEY: { describe: "key (64 hexadecimal digits) that encrypts the tokens of webhooks" },
  PLAYTEST_TOKEN_KEY_FILE: { describe: "file that contains it" },
  PLAYTEST_NOTIFY_SECRET: {
    describe: "secret (whsec_...) that signs the requests of `gate --notify` and `report --notify`",
  },
  NO_COLOR: { describe: "set to any value to disable color", flag: "--color" },
  FORCE_COLOR: {
    describe: "color level: 0 (none), 1 (16 colors), 2 (256 colors) or 3 (all colors)",
    flag: "--color",
  },
  TERM: { describe: "terminal type: `dumb` disables color" },
  HTTPS_PROXY: { describe: "proxy for HTTPS requests; https_proxy overrides it" },
  HTTP_PROXY: { describe: "proxy for HTTP requests; http_proxy overrides it" },
  NO_PROXY: {
    describe: "comma-separated hosts that bypass the proxy; requests to this machine never use the proxy",
  },
  https_proxy: { describe: "see HTTPS_PROXY" },
  http_proxy: { describe: "see HTTP_PROXY" },
  no_proxy: { describe: "see NO_PROXY" },
  PLAYTEST_NO_COMPLETION_REFRESH: {
    describe: "set to any value to stop refreshing the names offered by completions",
  },
  CI: { describe: "same effect as PLAYTEST_NO_COMPLETION_REFRESH; most CI systems set it" },
  PLAYTEST_BUILD: { describe: "build of `playtest gate run`", flag: "--build-version" },
  PLAYTEST_ENVIRONMENT: { describe: "environment of a game, which `playtest gate run` sets to ci" },
  PLAYTEST_DEVICE_ID: { describe: "device id of a game, which `playtest gate run` sets for each run" },
  GITHUB_SHA: { describe: "commit that is the build of `playtest gate run`, set by GitHub Actions" },
  GITHUB_EVENT_NAME: { describe: "event of the workflow, set by GitHub Actions" },
  CI_COMMIT_SHA: { describe: "the same, set by GitLab CI" },
  GIT_COMMIT: { describe: "the same, set by Jenkins" },
  GITHUB_STEP_SUMMARY: { describe: "file that `playtest gate --report github` appends its summary to" },
  GITHUB_OUTPUT: { describe: "file that `playtest gate --report github` appends its outputs to" },
  NODE_EXTRA_CA_CERTS: { describe: "PEM file with additional certificate authorities, read by Node.js" },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    describe: "base URL that `playtest server start` sends traces to (OTLP over HTTP)",
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    describe: "full URL for traces; overrides OTEL_EXPORTER_OTLP_ENDPOINT",
  },
  OTEL_EXPORTER_OTLP_HEADERS: { describe: "headers to send with traces, read by OpenTelemetry" },
  OTEL_SERVICE_NAME: { describe: "service name in traces (default: playtest), read by OpenTelemetry" },
  OTEL_RESOURCE_ATTRIBUTES: { describe: "additional resource attributes in traces, read by OpenTelemetry" },
  OTEL_TRACES_EXPORTER: { describe: "set to `none` to disable traces" },
  OTEL_SDK_DISABLED: { describe: "set to `true` to disable traces" },
  XDG_CONFIG_HOME: { describe: "folder that contains playtest/config.json" },
  XDG_STATE_HOME: { describe: "folder for the local databases and for progress of resumable commands" },
  XDG_CACHE_HOME: { describe: "folder for compiled code and the SQLite driver" },
  APPDATA: { describe: "used on Windows instead of XDG_CONFIG_HOME" },
  LOCALAPPDATA: { describe: "used on Windows instead of XDG_STATE_HOME" },
} as const satisfies Readonly<Record<string, EnvironmentVariable>>;

export type VariableName = keyof typeof environment;

/** The environment as commands may read it. */
export type Environment = Readonly<Partial<Record<VariableName, string | undefined>>>;
