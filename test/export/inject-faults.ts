/** A transport that makes selected requests fail. */
import { type CliOptions, createAppTransport, type TestService } from "../harness.ts";

/** `findFault` gets the URL and number (from 1) of each request, and returns an error, a status, or null to send it. */
export function injectFaults(
  service: TestService,
  findFault: (url: string, number: number) => Error | number | null,
): Required<Pick<CliOptions, "transport">> {
  const send = createAppTransport(service.app);
  let number = 0;
  return {
    async transport(request) {
      number += 1;
      const fault = findFault(request.url, number);
      if (fault instanceof Error) throw fault;
      if (fault === null) return await send(request);
      const body = JSON.stringify({ error: "No", retryAfterMs: 1500 });
      return { status: fault, headers: {}, body };
    },
  };
}
