/** The interval of a share in whole percent, such as `20-54%`. */
export function formatShareInterval({ low, high }: { readonly low: number; readonly high: number }): string {
  return `${Math.round(low * 100)}-${Math.round(high * 100)}%`;
}
