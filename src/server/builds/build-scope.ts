/** One build of a game in an environment. */
export interface BuildScope {
  readonly gameId: string;
  readonly version: string;
  /** The environment, or `all`. */
  readonly environment: string;
}
