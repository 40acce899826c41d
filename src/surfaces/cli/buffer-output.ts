/** An Output into a string, with a terminal's colours and width. */
import type { Shell } from "./command.ts"
import { Output } from "./output.ts"

export function bufferOutput({ env }: Pick<Shell, "env">, columns: number) {
  let text = ""
  const stream = { isTTY: true, columns, write: (more: string) => (text += more) }
  const output = new Output({ stdout: stream, stderr: stream }, { json: false, env })
  return { output, written: () => text }
}
