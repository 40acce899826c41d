/** Opens a link in the person's browser. */
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Env } from "../../config/substitute.ts"
import { replaceFile } from "./make-private-folder.ts"

const OPENERS = { darwin: "open", linux: "xdg-open" } as Readonly<Record<string, string>>

/**
 * Other users see the arguments of programs, and the link is a login. So the program gets a private
 * file that redirects to the link.
 *
 * @param link one of the daemon's, which needs no quoting. @param folder the home's state folder.
 * @returns false if there is no program for it, or no screen.
 */
export async function openPage(link: string, folder: string, env: Env): Promise<boolean> {
  const name = OPENERS[process.platform]
  const hasScreen = process.platform === "darwin" || env["DISPLAY"] || env["WAYLAND_DISPLAY"]
  if (!name || !hasScreen) return false
  const folders = (env["PATH"] ?? "").split(delimiter).filter(Boolean)
  const program = folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
  if (!program) return false
  const file = join(folder, "login.html")
  replaceFile(file, `<!doctype html><meta http-equiv="refresh" content="0; url=${link}">\n`)
  const child = spawn(program, [pathToFileURL(file).href], { stdio: "ignore", detached: true, env })
  const { promise, resolve } = Promise.withResolvers<boolean>()
  child.on("error", () => resolve(false)).on("spawn", () => resolve(true))
  child.unref()
  return promise
}
