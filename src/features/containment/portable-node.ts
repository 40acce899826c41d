/**
 * The Node that runs us, so that a container of any image can run it: with the libraries of this machine,
 * and the loader that knows where they are. An image may have another C library, or none.
 */
import { realpathSync } from "node:fs"
import { basename, isAbsolute, join } from "node:path"
import type { Fence } from "../../kernel/process/fence.ts"
import { keepWritten } from "./bubblewrap.ts"

/** Where a container shows the command that starts it. The image may have a Node of its own. */
export const PROGRAM_INSIDE = "/run/coppice/program"
/** Where a container shows Node itself, and the libraries. */
const [NODE, FOLDER] = ["/run/coppice/node", "/run/coppice/lib"]
const LOADER = /^ld-.*\.so/

let known: readonly string[] | undefined

/** @param stateDir for the command. @returns what a container shows. */
export function portableNode(stateDir: string): Fence["fixed"] {
  known ??= listLibraries()
  const loader = known.find((path) => LOADER.test(basename(path)))
  if (loader === undefined) return [{ from: process.execPath, at: PROGRAM_INSIDE }] // this Node needs no libraries
  const command = join(stateDir, "container-node")
  const line = `exec ${insideOf(loader)} --library-path ${FOLDER} ${NODE} "$@"`
  keepWritten(command, Buffer.from(`#!/bin/sh\n${line}\n`), 0o700)
  const libraries = known.map((path) => ({ from: realpathSync(path), at: insideOf(path) }))
  return [{ from: command, at: PROGRAM_INSIDE }, { from: process.execPath, at: NODE }, ...libraries]
}

const insideOf = (path: string): string => `${FOLDER}/${basename(path)}`

/** The libraries of C and C++. Compiled modules of packages (`.node`) are not needed. */
function listLibraries(): readonly string[] {
  Object.assign(process.report, { excludeNetwork: true }) // else it looks up names of all peers
  const { sharedObjects } = process.report.getReport() as { readonly sharedObjects: string[] }
  return sharedObjects.filter((path) => isAbsolute(path) && /\.so(\.|$)/.test(path))
}
