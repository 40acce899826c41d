/**
 * Starts a program that sees the whole machine as its user does, but can only read: for a reviewer, which
 * needs the user's login and must change nothing.
 *
 *   writable:  folders for temporary files, `writable`         its own: files that it adds to HOME
 *   hidden:    `hidden`, but for `writable` and `readable`     read-only: all else, and all `locked`
 *              our own folders for temporary files
 *
 * It guards against mistakes and simple cunning. A sandbox hides everything else too (sandbox.ts). All
 * processes end with the first one, and cannot see those outside.
 *
 * A file in HOME is a program to some later one: settings of git, start files of shells, hooks. But
 * programs expect to write there. So HOME is an empty folder in memory, with all that the user's has
 * mounted read-only, except the paths in `kept`.
 */
import { type Dirent, readdirSync, readlinkSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { KERNEL, type Launch, readOnly, realPath } from "../../kernel/process/fence.ts"
import { listScratch } from "../../kernel/process/scratch-folder.ts"
import { bubblewrapped, hiddenKeys } from "./bubblewrap.ts"
import { NAMESPACES } from "./rules/containment.ts"

export type ReadOnlyView = {
  /** Folders such as HOME. */
  readonly homes: readonly string[]
  /** Files and folders of the user's that it changes: its logins. */
  readonly kept: readonly string[]
  readonly locked: readonly string[]
  readonly hidden: readonly string[]
  readonly writable: readonly string[]
  readonly readable: readonly string[]
}

const TEMPORARY = ["/tmp", "/var/tmp", "/dev/shm"]
/** More names than this in one folder: it is shown as it is, read-only. */
const NAMES_MAX = 2_000

/**
 * The command that starts the same program with this view.
 *
 * A later mount covers an earlier one. `hidden` may lie in `locked`, as a state folder in the home
 * does, or the other way around.
 *
 * @param stateDir as in bubblewrap.ts.
 */
export function withReadOnlyView(launch: Launch, view: ReadOnlyView, stateDir: string): Launch {
  const { command, args, cwd, env } = launch
  const hidden = realPaths([...view.hidden, ...listScratch()]).filter(isFolder)
  const homes = realPaths(view.homes)
  const isElsewhere = (path: string) => !homes.some((home) => contains(home, path))
  const locked = realPaths(view.locked).filter((path) => !homes.includes(path))
  const temporary = [...TEMPORARY, ...realPaths([tmpdir()])]
  const kept = [...realPaths(view.kept), ...temporary.filter((path) => !isElsewhere(path))]
  const isHidden = (path: string) =>
    hidden.some((other) => contains(other, path)) && !hidden.some((other) => contains(path, other))
  // A folder in another one is read-only with it. A named one would have to be there until the start.
  const isOutermost = (path: string) =>
    !locked.some((other) => other !== path && contains(other, path))
  const line = [
    ...NAMESPACES,
    ...["--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"],
    ...temporary.flatMap((path) => ["--bind-try", path, path]), // worktrees may be there
    ...KERNEL.flatMap(readOnly),
    ...hiddenKeys(),
    ...homes.flatMap((home) => asScratch(home, kept)),
    ...locked.filter(isOutermost).flatMap(readOnly),
    ...hidden.flatMap((path) => ["--tmpfs", path]),
    ...realPaths(view.readable).flatMap(readOnly),
    ...[...realPaths(view.writable), ...kept.filter(isElsewhere)].flatMap(bind),
    ...locked.filter(isHidden).flatMap(readOnly),
    ...["--chdir", cwd, "--", command, ...args],
  ]
  return bubblewrapped(line, { env }, stateDir)
}

/** An empty folder in memory, with the files of the real one. */
function asScratch(folder: string, kept: readonly string[]): string[] {
  const names = readdirSync(folder, { withFileTypes: true })
  if (names.length > NAMES_MAX)
    return [...readOnly(folder), ...kept.filter((one) => contains(folder, one)).flatMap(bind)]
  const show = (entry: Dirent): string[] => {
    const path = join(folder, entry.name)
    if (entry.isSymbolicLink()) return ["--symlink", readlinkSync(path), path]
    if (kept.includes(path)) return bind(path)
    const isAround = entry.isDirectory() && kept.some((one) => contains(path, one))
    return isAround ? asScratch(path, kept) : ["--ro-bind-try", path, path]
  }
  return ["--tmpfs", folder, ...names.flatMap(show)]
}

const bind = (path: string): string[] => ["--bind-try", path, path]

/** Bubblewrap cannot mount behind a link. */
const realPaths = (paths: readonly string[]): string[] => [
  ...new Set(paths.flatMap((path) => realPath(path) ?? [])),
]

const contains = (folder: string, path: string): boolean => `${path}/`.startsWith(`${folder}/`)

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
