/**
 * Starts a program that sees the whole machine as its user does, but can only read what matters:
 * for a reviewer, which needs the user's login and must change nothing.
 *
 *   read-only: `locked`      hidden: `hidden`, but for `writable` and `readable` in it      all else: as it is
 *
 * It guards against mistakes and simple cunning. A sandbox hides everything else too (sandbox.ts). All
 * processes end with the first one, and cannot see those outside.
 */
import { lstatSync } from "node:fs"
import { BWRAP, NAMESPACES } from "../core/containment.ts"
import { KERNEL, type Launch, readOnly } from "./fence.ts"

export type ReadOnlyView = {
  readonly locked: readonly string[]
  readonly hidden: readonly string[]
  readonly writable: readonly string[]
  readonly readable: readonly string[]
}

/** The command that starts the same program with this view. */
export function withReadOnlyView(launch: Launch, view: ReadOnlyView): Launch {
  const { command, args, cwd, env } = launch
  const line = [
    ...NAMESPACES,
    ...["--bind", "/", "/", "--proc", "/proc", "--dev", "/dev"],
    ...KERNEL.flatMap(readOnly),
    ...view.hidden.filter(isFolder).flatMap((path) => ["--tmpfs", path]),
    ...view.readable.flatMap(readOnly),
    ...view.writable.filter(isFolder).flatMap((path) => ["--bind", path, path]),
    ...view.locked.flatMap(readOnly),
    ...["--chdir", cwd, "--", command, ...args],
  ]
  return { command: BWRAP, args: line, cwd: "/", env }
}

const isFolder = (path: string) =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
