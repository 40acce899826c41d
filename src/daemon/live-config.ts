/**
 * The configuration of a home, as coppice.yml is now.
 *
 * Looked at whenever it is asked for, so that nobody has to start the daemon again. A file with
 * mistakes changes nothing for what is under way: the last good one holds.
 */
import { statSync } from "node:fs"
import { join } from "node:path"
import { readConfigFile } from "../client/config-file.ts"
import { CONFIG_FILE, findHome } from "../client/home.ts"
import type { Config } from "../core/config.ts"

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
    return readConfigFile(findHome(this.#home, { home: this.#home }), process.env)
  }

  /** Changes when the file does. */
  #readStamp(): string {
    const stat = statSync(join(this.#home, CONFIG_FILE), { throwIfNoEntry: false })
    return stat ? `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}` : "none"
  }
}
