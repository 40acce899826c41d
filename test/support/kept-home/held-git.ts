/**
 * A git that waits on demand: the first of the PATH, in front of the real one.
 *
 * While a place is held, each git that Coppice starts there waits before it does anything. So the landing of that
 * place stays in the state that it is in. Programs that play a person, and agents, are not held.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

export class HeldGit {
  /** For the PATH. */
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
    mkdirSync(folder)
    const real = execFileSync("/bin/sh", ["-c", "command -v git"], { encoding: "utf8" }).trim()
    const script = `#!/bin/sh
if [ -n "$GIT_CONFIG_COUNT" ]; then
  if [ -e '${folder}/slow' ]; then sleep 0.4; fi
  for held in '${folder}'/held-*; do
    [ -e "$held" ] && read -r place < "$held" || continue
    case "$PWD/ $* " in *$place*) while :; do sleep 1; done ;; esac
  done
fi
exec '${real}' "$@"
`
    writeFileSync(join(folder, "git"), script, { mode: 0o755 })
  }

  /** From now on each git takes long enough for a look at the store between two of them. */
  slow(): void {
    writeFileSync(join(this.folder, "slow"), "")
  }

  /** Holds a repository with its worktrees, or one worktree. @param place `<repository>`, or `<repository>.worktrees/<name>`. */
  hold(place: string): void {
    const file = join(this.folder, `held-${readdirSync(this.folder).length}`)
    writeFileSync(file, `/repos/${place}[./ ]\n`)
  }
}
