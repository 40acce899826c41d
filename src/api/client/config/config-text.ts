/** Reads the text of a coppice.yml, which an agent may have written. */
import { lstatSync, realpathSync, type Stats, statSync } from "node:fs"
import { join } from "node:path"
import type { FileText } from "../../../base/text/file-text.ts"
import { ConfigError } from "../../../config/errors.ts"
import { readSmall } from "../read-small.ts"

/** Parsing takes quadratic time at worst, while a daemon does nothing else; agents can land any file. */
const CONFIG_BYTES_MAX = 64 * 1024

/** @returns null if there is none. @throws ConfigError if it is not a file. */
export function readConfigText(path: string): FileText | null {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    if (!found && !lstatSync(path, { throwIfNoEntry: false })) return null
    if (!found) throw new ConfigError(path, [{ path: "", message: "is a link that leads nowhere" }])
    const fault = faultOf(found)
    if (fault === undefined) return readSmall(path, CONFIG_BYTES_MAX) as FileText
    throw new ConfigError(path, [{ path: "", message: fault }])
  } catch (error) {
    if (error instanceof ConfigError) throw error
    const { code = "another file took its place" } = error as NodeJS.ErrnoException
    const message = `cannot be read (${code})`
    throw new ConfigError(path, [{ path: "", message }], { cause: error })
  }
}

/**
 * Reads a file of `folder`, never through a link that leads out of it.
 *
 * @returns null if there is none. @throws ConfigError
 */
export function readConfigInside(folder: string, name: string): FileText | null {
  const path = join(folder, name)
  const text = readConfigText(path)
  if (text === null || realpathSync(path).startsWith(`${realpathSync(folder)}/`)) return text
  throw new ConfigError(path, [
    { path: "", message: "is outside, or a link that leads out of the repository" },
  ])
}

function faultOf(found: Stats): string | undefined {
  if (!found.isFile())
    return `is ${found.isDirectory() ? "a folder" : "something else"}, not a file`
  const { size } = found
  return size > CONFIG_BYTES_MAX ? `is larger than ${CONFIG_BYTES_MAX / 1024} KiB` : undefined
}
