/** Sizes as people read them, and a full disk in words. Pure. */

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

/** With less room than this, a failed program most likely failed because of it. */
const ROOM_BYTES_MIN = 1024 * 1024

type Room = Readonly<Record<"bavail" | "bsize" | "blocks" | "files" | "ffree", number>>

/**
 * Describes a full disk. Pure: the caller asks the system (statfs).
 *
 * @returns undefined if there is room; else a sentence without a full stop, for a person.
 */
export function describeFull(folder: string, room: Room): string | undefined {
  const [free, all] = [room.bavail * room.bsize, room.blocks * room.bsize]
  if (free < ROOM_BYTES_MIN)
    return `the disk of ${folder} is full: ${bytesText(free)} of ${bytesText(all)} are free`
  const isOutOfFiles = room.files > 0 && room.ffree === 0
  return isOutOfFiles ? `the disk of ${folder} is full: it holds no more files` : undefined
}
