/** How times within a session are shown to people. */

/** A moment of play in whole seconds, such as `4:10`. */
export function formatMoment(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** A time within a session, such as `1:02.5` or `-0:03.0`. */
export function formatOffset(ms: number): string {
  const tenths = Math.round(Math.abs(ms) / 100);
  const minutes = Math.floor(tenths / 600);
  const seconds = ((tenths % 600) / 10).toFixed(1).padStart(4, "0");
  return `${ms < 0 && tenths > 0 ? "-" : ""}${minutes}:${seconds}`;
}
