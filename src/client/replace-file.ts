/** Writes one of the user's files in one step: a reader sees the old text or the new one. */
import { fs } from "./builtins.ts"

/** @throws the system's error with the path, which Node leaves out on a full disk. */
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
