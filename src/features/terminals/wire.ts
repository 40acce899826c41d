/** The documents of a terminal in the dashboard. Its other messages are bytes: keys, and output. */
import { z } from "zod"

/** No screen has more. */
const CELLS_MAX = 1_000

const size = {
  columns: z.coerce.number<number>().int().min(2).max(CELLS_MAX),
  rows: z.coerce.number<number>().int().min(1).max(CELLS_MAX),
}
const offset = z.coerce.number<number>().int().min(0)

export const TerminalRequest = z.strictObject({
  ...size,
  /** In the worktree of this repository; default: the task's first. */
  repo: z.string().max(500).optional(),
  /** Goes on with this one, after a lost connection; default: a new one. */
  terminal: z
    .string()
    .regex(/^[0-9a-f]{16}$/, "must be the id of a terminal")
    .optional(),
  /** The bytes of its output that the page has. */
  after: offset.default(0),
})
export type TerminalRequest = z.output<typeof TerminalRequest>

/** The page's messages that are no keys. */
export const TerminalWords = z.union([
  /** The page's screen has another size. */
  z.strictObject(size),
  /** The page has shown so many bytes of the output, from the first on. */
  z.strictObject({ seen: offset }),
  /** The person is done. */
  z.strictObject({ end: z.literal(true) }),
])
export type TerminalWords = z.output<typeof TerminalWords>

/** The daemon's messages that are no output: the first one, and one for each change. */
export const TerminalNote = z.object({
  terminal: z.string(),
  /** The number of the next byte of output. */
  next: z.int(),
  /** The work of Coppice in the worktree, one sentence for a person. */
  notice: z.string().nullable(),
  /** Why the terminal has ended, one sentence; the connection ends, too. */
  ended: z.string().nullable(),
})
export type TerminalNote = z.infer<typeof TerminalNote>
