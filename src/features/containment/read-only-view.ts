/**
 * Starts a program that sees the whole machine as its user does, but can only read what matters:
 * for a reviewer, which needs the user's login and must change nothing.
 *
 *   read-only: `locked`      hidden: `hidden`, but for `writable` and `readable` in it      all else: as it is
 *
 * It guards against mistakes and simple cunning. A sandbox hides everything else too (sandbox.ts). All
 * processes end with the first one, and cannot see those outside.
 */
import { statSync } from "node:fs"
import { KERNEL, type Launch, readOnly, realPath } from "../../kernel/process/fence.ts"
import { BWRAP, NAMESPACES } from "./rules/containment.ts"

export type ReadOnlyView = {
  readonly locked: readonly string[]
  readonly hidden: readonly string[]
  readonly writable: readonly string[]
  readonly readable: readonly string[]
}

/**
 * The command that starts the same program with this view.
 *
 * A later mount covers an earlier one. `hidden` may lie in `locked`, as a state folder in the home
 * does, or the other way around.
 */
export function withReadOnlyView(launch: Launch, view: ReadOnlyView): Launch {
  const { command, args, cwd, env } = launch
  const hidden = realPaths(view.hidden).filter(isFolder)
  const locked = realPaths(view.locked)
  const isHidden = (path: string) =>
    hidden.some((other) => contains(other, path)) && !hidden.some((other) => contains(path, other))
  // A folder in another one is read-only with it. A named one would have to be there until the start.
  const isOutermost = (path: string) =>
    !locked.some((other) => other !== path && contains(other, path))
  const line = [
    ...NAMESPACES,
    ...["--bind", "/", "/", "--proc", "/proc", "--dev", "/dev"],
    ...["--bind-try", "/dev/shm", "/dev/shm"], // worktrees and temporary files may be there
    ...KERNEL.flatMap(readOnly),
    ...locked.filter(isOutermost).flatMap(readOnly),
    ...hidden.flatMap((path) => ["--tmpfs", path]),
    ...realPaths(view.readable).flatMap(readOnly),
    ...realPaths(view.writable)
      .filter(isFolder)
      .flatMap((path) => ["--bind", path, path]),
    ...locked.filter(isHidden).flatMap(readOnly),
    ...["--chdir", cwd, "--", command, ...args],
  ]
  return { command: BWRAP, args: line, cwd: "/", env }
}

/** Bubblewrap cannot mount behind a link. */
const realPaths = (paths: readonly string[]): string[] =>
  paths.flatMap((path) => realPath(path) ?? [])

const contains = (folder: string, path: string): boolean => `${path}/`.startsWith(`${folder}/`)

const isFolder = (path: string) => statSync(path).isDirectory()
