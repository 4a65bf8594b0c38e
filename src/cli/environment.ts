/** The environment variables that playtest reads: the one table. What is not in it cannot be read from `Io`, and its help is made from it. */

interface EnvironmentVariable {
  readonly describe: string;
  /** The flag that wins over it. */
  readonly flag?: string;
}

export const environment = {
  PLAYTEST_KEY: { describe: "management key, for reading; wins over the stored one" },
  PLAYTEST_INGEST_KEY: { describe: "ingest key, for sending telemetry; wins over the stored one" },
  PLAYTEST_BASE_URL: {
    describe: "origin of the service, such as https://playtest.example.com",
    flag: "--base-url",
  },
  PLAYTEST_PROFILE: { describe: "profile of settings and keys", flag: "--profile" },
  PLAYTEST_GAME: { describe: "game id or slug", flag: "--game" },
  PLAYTEST_PROVIDER_KEY: { describe: "key of the model's provider, for `playtest admin providers set`" },
  NO_COLOR: { describe: "with any text in it: no colours", flag: "--color" },
  FORCE_COLOR: { describe: "0 for no colours, 1, 2 or 3 for 16, 256 or all of them", flag: "--color" },
  TERM: { describe: "dumb for a terminal without colours; else tells `--image auto` what it can show" },
  TERM_PROGRAM: { describe: "tells `--image auto` which terminal it is" },
  LC_TERMINAL: { describe: "the same, set by iTerm2" },
  KITTY_WINDOW_ID: { describe: "the same, set by kitty" },
  TMUX: { describe: "set within tmux, which has to be asked to hand images on" },
  HTTPS_PROXY: { describe: "proxy of https requests; https_proxy wins over it" },
  HTTP_PROXY: { describe: "proxy of http requests; http_proxy wins over it" },
  NO_PROXY: { describe: "hosts that need no proxy, separated by commas; this machine never does" },
  https_proxy: { describe: "see HTTPS_PROXY" },
  http_proxy: { describe: "see HTTP_PROXY" },
  no_proxy: { describe: "see NO_PROXY" },
  PLAYTEST_NO_COMPLETION_REFRESH: {
    describe: "with any text in it: the names that completions offer are not refreshed",
  },
  CI: { describe: "the same" },
  GITHUB_STEP_SUMMARY: { describe: "file that `playtest gate --report github` adds its summary to" },
  GITHUB_OUTPUT: { describe: "file that `playtest gate --report github` adds its outputs to" },
  NODE_EXTRA_CA_CERTS: { describe: "file of further certificate authorities (PEM), read by Node itself" },
  OTEL_EXPORTER_OTLP_ENDPOINT: { describe: "where `playtest server start` sends traces (OTLP over HTTP)" },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: { describe: "the same, as the whole address; wins over it" },
  OTEL_EXPORTER_OTLP_HEADERS: { describe: "headers sent with traces, read by OpenTelemetry itself" },
  OTEL_SERVICE_NAME: { describe: "name of the service in traces, default playtest; read the same way" },
  OTEL_RESOURCE_ATTRIBUTES: { describe: "what else is told of the service in traces; read the same way" },
  OTEL_TRACES_EXPORTER: { describe: "none for no traces" },
  OTEL_SDK_DISABLED: { describe: "true for no traces" },
  XDG_CONFIG_HOME: { describe: "folder that holds playtest/config.json" },
  XDG_STATE_HOME: { describe: "folder that holds the databases and what is resumed" },
  APPDATA: { describe: "on Windows, what XDG_CONFIG_HOME is elsewhere" },
  LOCALAPPDATA: { describe: "on Windows, what XDG_STATE_HOME is elsewhere" },
} as const satisfies Readonly<Record<string, EnvironmentVariable>>;

export type VariableName = keyof typeof environment;

/** The environment as the command line may read it. */
export type Environment = Readonly<Partial<Record<VariableName, string | undefined>>>;
