/**
 * The configuration of a home, as coppice.yml is now.
 *
 * Looked at whenever it is asked for, so that nobody has to start the daemon again. A file with
 * mistakes, or that cannot be read, changes nothing for what is under way: the last good one holds.
 * Only the home's own file counts: who deletes it wants the defaults, not what a folder above has.
 */
import { statSync } from "node:fs"
import { join } from "node:path"
import { readConfigFile } from "../client/config-file.ts"
import { CONFIG_FILE } from "../client/home.ts"
import type { Config } from "../core/config.ts"

/** The stamp of a file that is not there. */
const NONE = "none"

export class LiveConfig {
  readonly #home: string
  #stamp: string
  #good: Config
  #problem: { readonly error: unknown } | undefined

  /** @throws {ConfigError} (user) naming every mistake: a daemon does not start with any. */
  constructor(home: string) {
    this.#home = home
    this.#stamp = this.#readStamp()
    this.#good = this.#read()
  }

  /** The last one without mistakes. */
  get current(): Config {
    const stamp = this.#readStamp()
    if (stamp !== this.#stamp) this.#reload(stamp)
    return this.#good
  }

  /** The file as it is now. @throws {ConfigError} (user) naming every mistake in it. */
  checked(): Config {
    const config = this.current
    if (this.#problem) throw this.#problem.error
    return config
  }

  #reload(stamp: string): void {
    this.#stamp = stamp
    try {
      this.#good = this.#read()
      this.#problem = undefined
    } catch (error) {
      this.#problem = { error } // told to whoever gives the next task
    }
  }

  #read(): Config {
    const configPath = this.#stamp === NONE ? null : this.#path
    return readConfigFile({ home: this.#home, configPath }, process.env)
  }

  get #path(): string {
    return join(this.#home, CONFIG_FILE)
  }

  /** Changes when the file does. What cannot be looked at is told when it is read. */
  #readStamp(): string {
    try {
      const stat = statSync(this.#path, { throwIfNoEntry: false })
      return stat ? `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}` : NONE
    } catch (error) {
      return String((error as NodeJS.ErrnoException).code)
    }
  }
}
