/** Describes a full disk. Pure: the caller asks the system (statfs). */
import { bytesText } from "./bytes-text.ts"

/** With less room than this, a failed program most likely failed because of it. */
const ROOM_BYTES_MIN = 1024 * 1024

type Room = Readonly<Record<"bavail" | "bsize" | "blocks" | "files" | "ffree", number>>

/** @returns undefined if there is room; else a sentence without a full stop, for a person. */
export function describeFull(folder: string, room: Room): string | undefined {
  const [free, all] = [room.bavail * room.bsize, room.blocks * room.bsize]
  if (free < ROOM_BYTES_MIN)
    return `the disk of ${folder} is full: ${bytesText(free)} of ${bytesText(all)} are free`
  const isOutOfFiles = room.files > 0 && room.ffree === 0
  return isOutOfFiles ? `the disk of ${folder} is full: it holds no more files` : undefined
}
