/**
 * The frames that the daemon writes to the process that has a terminal: keys, and sizes.
 *
 *   0, number of bytes (2 bytes), bytes        keys
 *   1, columns (2 bytes), rows (2 bytes)       a size
 */

/** The first argument of the program as that process. */
export const TERMINAL_HOST = "terminal-host"

export type TerminalSize = { readonly columns: number; readonly rows: number }

type Reader = {
  readonly onKeys: (bytes: Buffer) => void
  readonly onSize: (size: TerminalSize) => void
}

const KEYS = 0
const SIZE = 1
const HEAD_BYTES = 3
const SIZE_BYTES = 5
/** A person pastes no more at once. */
const KEYS_BYTES_MAX = 0xffff

/** @param keys at most 64 KiB. */
export function keysFrame(keys: Buffer): Buffer {
  const bytes = keys.subarray(0, KEYS_BYTES_MAX)
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt8(KEYS)
  head.writeUInt16BE(bytes.length, 1)
  return Buffer.concat([head, bytes])
}

export function sizeFrame({ columns, rows }: TerminalSize): Buffer {
  const frame = Buffer.alloc(SIZE_BYTES)
  frame.writeUInt8(SIZE)
  frame.writeUInt16BE(columns, 1)
  frame.writeUInt16BE(rows, 3)
  return frame
}

/** @returns a function that takes the bytes as they arrive. */
export function frameReader({ onKeys, onSize }: Reader): (bytes: Buffer) => void {
  let left = Buffer.alloc(0)
  return (bytes) => {
    left = Buffer.concat([left, bytes])
    while (left.length >= HEAD_BYTES) {
      const isSize = left[0] === SIZE
      const length = isSize ? SIZE_BYTES : HEAD_BYTES + left.readUInt16BE(1)
      if (left.length < length) return
      const frame = left.subarray(0, length)
      left = left.subarray(length)
      if (isSize) onSize({ columns: frame.readUInt16BE(1), rows: frame.readUInt16BE(3) })
      else onKeys(frame.subarray(HEAD_BYTES))
    }
  }
}
