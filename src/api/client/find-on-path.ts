/** Looks up a program on a PATH. */
import { accessSync, constants, statSync } from "node:fs"
import { delimiter, join } from "node:path"

export function findOnPath(program: string, path = ""): string | undefined {
  const folders = path.split(delimiter).filter((folder) => folder !== "")
  return folders.map((folder) => join(folder, program)).find(isProgram)
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false // missing, or not executable for us
  }
}
