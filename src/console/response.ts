/** What the service sends for a page or file. */
export interface PageResponse {
  readonly status: number;
  /** The Content-Type. */
  readonly type: string;
  readonly text: string;
  /** The Cache-Control header. */
  readonly cache: string;
}
