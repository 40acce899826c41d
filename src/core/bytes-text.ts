/** Sizes as people read them. */

const UNITS = ["kB", "MB", "GB", "TB"]

/** E.g. `3.2 GB`, with 1,000 kB to the MB as in coppice.yml; bytes below one kB. */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  let amount = bytes
  let unit = -1
  while (amount >= 1000 && unit < UNITS.length - 1) {
    amount /= 1000
    unit++
  }
  return `${amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${UNITS[unit]}`
}
