/** A way to a service on which requests fail as a test tells. */
import { type CliOptions, type TestService, transportOf } from "../harness.ts";

/** Told each request's address and number, from 1 on, `fault` answers the error or status it meets; null lets it through. */
export function faulty(
  service: TestService,
  fault: (url: string, nth: number) => Error | number | null,
): Required<Pick<CliOptions, "transport">> {
  const through = transportOf(service.app);
  let nth = 0;
  return {
    async transport(request) {
      nth += 1;
      const failed = fault(request.url, nth);
      if (failed instanceof Error) throw failed;
      if (failed === null) return await through(request);
      const body = JSON.stringify({ error: "No", retryAfterMs: 1500 });
      return { status: failed, headers: {}, body };
    },
  };
}
