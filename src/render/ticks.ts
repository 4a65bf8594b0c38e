/** Chooses round numbers for the labels of an axis. */

export interface Tick {
  readonly value: number;
  readonly label: string;
}

const MAX_DECIMALS = 12;
/** Tolerance in steps for ticks at the bounds, because of floating-point rounding: 0.3 / 0.1 is less than 3. */
const ROUNDING = 1e-9;

/**
 * Returns about `count` ticks or fewer at round steps (1, 2 or 5 times a power of ten) from `min` to `max`, inclusive.
 * Returns the bounds if no round step can distinguish values between them, and a single tick if they are equal.
 */
export function roundTicks(min: number, max: number, count: number): Tick[] {
  if (min === max) return [toTick(min)];
  const step = roundStep((max - min) / Math.max(1, count));
  const first = Math.ceil(min / step - ROUNDING);
  const last = Math.floor(max / step + ROUNDING);
  if (!Number.isFinite(step) || !Number.isSafeInteger(first) || !Number.isSafeInteger(last)) {
    return [toTick(min), toTick(max)];
  }
  const ticks: Tick[] = [];
  for (let at = first; at <= last; at++) {
    const value = at * step + 0;
    ticks.push({ value, label: numberLabel(value, step) });
  }
  return ticks;
}

const toTick = (value: number): Tick => ({ value, label: shortLabel(value) });

/** The smallest round step that is at least the given one. */
function roundStep(min: number): number {
  const power = 10 ** Math.floor(Math.log10(min));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= min * 0.999) ?? 10;
  return factor * power;
}

/** Formats a number with enough decimals to distinguish it from one a step away; 4 digits if the step is 0 or the number is huge. */
export function numberLabel(value: number, step: number): string {
  const decimals = step > 0 && Number.isFinite(step) ? Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) : 0;
  const magnitude = Math.abs(value);
  if (step === 0 || decimals > MAX_DECIMALS || magnitude >= 1e9) return shortLabel(value);
  return (Math.round(value * 10 ** decimals) / 10 ** decimals + 0).toFixed(decimals);
}

function shortLabel(value: number): string {
  const digits = value.toPrecision(4);
  // Rounding the largest doubles can exceed their range, but the digits are still correct.
  return Number.isFinite(Number(digits)) ? String(Number(digits)) : digits;
}
