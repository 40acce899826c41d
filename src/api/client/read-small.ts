/** Reads a small file of a user. A pipe, a device or a huge file in its place is an error, and nothing waits for it. */
import { fs } from "./node-builtins.ts"

/** Far more than any of these files has. Reading this much takes a few ms. */
const BYTES_MAX = 16 * 1024 * 1024

/** @throws the system's error, or an error that says what is there. */
export const readSmall = (path: string, bytesMax = BYTES_MAX): string =>
  readSmallBytes(path, bytesMax).toString("utf8")

/** @throws as {@link readSmall} does. */
export function readSmallBytes(path: string, bytesMax: number): Buffer {
  const { O_RDONLY, O_NONBLOCK } = fs.constants
  assertSmall(path, fs.statSync(path), bytesMax) // opening a device can have effects
  const handle = fs.openSync(path, O_RDONLY | O_NONBLOCK) // opening a pipe must not wait
  try {
    assertSmall(path, fs.fstatSync(handle), bytesMax)
    return fs.readFileSync(handle)
  } finally {
    fs.closeSync(handle)
  }
}

type Found = { readonly size: number; isFile(): boolean }

function assertSmall(path: string, found: Found, bytesMax: number): void {
  if (!found.isFile()) throw new Error(`${path} is not a file`)
  if (found.size > bytesMax) throw new Error(`${path} is larger than ${bytesMax} bytes`)
}
