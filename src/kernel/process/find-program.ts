/** Looks up a program as a shell would. */
import { accessSync, constants, statSync } from "node:fs"
import { delimiter, isAbsolute, resolve } from "node:path"

export type ProgramPlace = {
  /** The PATH to search; relative and empty entries start at `cwd`. */
  readonly path: string | undefined
  readonly cwd: string
}

/** The absolute path of the executable that `name` refers to, or undefined. */
export const findProgram = (name: string, { path = "", cwd }: ProgramPlace): string | undefined =>
  find(name, path.split(delimiter), cwd)

/** The same from the current folder, where an empty entry of the PATH does not count. */
export const findOnPath = (name: string, path = ""): string | undefined =>
  find(name, path.split(delimiter).filter(Boolean), "")

function find(name: string, folders: readonly string[], cwd: string): string | undefined {
  const places = name.includes("/") ? [""] : folders
  return places.map((folder) => resolve(cwd, folder, name)).find(isExecutable)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false // missing, or not executable for us: not the program either way
  }
}

/** Whether there is no such program; a relative path starts at a folder that is not known yet, so it may be there. */
export const isMissing = (name: string, path: string | undefined): boolean =>
  (isAbsolute(name) || !name.includes("/")) && !findProgram(name, { path, cwd: "/" })
