/** An output that keeps what is written, painted and as wide as on a terminal. */
import type { Shell } from "../command.ts"
import { Output } from "../output.ts"

export function sheetOf({ env }: Pick<Shell, "env">, columns: number) {
  let text = ""
  const stream = { isTTY: true, columns, write: (more: string) => (text += more) }
  const sheet = new Output({ stdout: stream, stderr: stream }, { json: false, env })
  return { sheet, written: () => text }
}
