/** Writes a file of the user's own, in one step: a reader sees the old text or the new one. */
import { fs } from "./builtins.ts"

/** @throws what the system says, with the path: Node leaves it out where the disk is full. */
export function replaceFile(path: string, text: string): void {
  const draft = `${path}.${process.pid}`
  try {
    fs.writeFileSync(draft, text, { mode: 0o600 })
    fs.renameSync(draft, path)
  } catch (error) {
    fs.rmSync(draft, { force: true })
    throw Object.assign(error as Error, { path })
  }
}
