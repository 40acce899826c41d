/**
 * The configuration of a home: coppice.yml, with the files over and below it, as a person approved it.
 *
 * We read the files whenever it is needed, so that the daemon never needs a restart. A file that is
 * unreadable, has mistakes, or differs from the approved one changes nothing for running work: the
 * last good one stays in force, and new work is refused. Only the home's own file counts. Without
 * it the defaults apply, not the file of a folder above.
 */
import { statSync } from "node:fs"
import { basename, join } from "node:path"
import { parseConfigText } from "../../api/client/config/config-file.ts"
import { configPaths, readHomeConfig } from "../../api/client/config/config-layers.ts"
import { Places } from "../../api/client/config/repository-places.ts"
import { AppError } from "../../base/errors.ts"
import { withForeignSetups } from "../../features/foreign-setup/foreign-setup.ts"
import { withApprovedHooks } from "../../features/git-hooks/repository-hooks.ts"
import { withApprovedAddresses } from "../../features/trust/push-address.ts"
import { trustStanding } from "../../features/trust/rules.ts"
import { changeTrust, readTrust, TRUST_FILE } from "../../features/trust/trust-record.ts"
import type { Config } from "../config.ts"
import { TrustNeededError } from "../errors.ts"

export class LiveConfig {
  readonly #home: string
  readonly #stateDir: string
  /** Files that stand in the place of a source. */
  #workflows: readonly string[] = []
  #stamp: string
  /** Where the paths in it led: two of them may become one repository. */
  #places: Places
  #good: Config
  #problem: unknown
  #isUnapproved = false
  #hasGood = false

  /** @throws {ConfigError} (user) naming every mistake: a daemon does not start with any. */
  constructor(home: string, stateDir: string) {
    this.#home = home
    this.#stateDir = stateDir
    this.#stamp = this.#readStamp()
    this.#places = new Places(home)
    this.#good = this.#read()
    this.#hasGood = true
  }

  /** The last approved one without mistakes; see {@link isUnapproved}. */
  get current(): Config {
    const stamp = this.#readStamp()
    if (stamp !== this.#stamp) this.#reload(stamp)
    return this.#good
  }

  /**
   * No configuration was ever approved: {@link current} is the file's content, for reading only.
   */
  get isUnapproved(): boolean {
    return this.current !== undefined && this.#isUnapproved
  }

  /**
   * The file as it is now, and where its paths lead now.
   *
   * @throws {ConfigError} (user) naming every mistake in it.
   * @throws {TrustNeededError} (user)
   */
  checked(): Config {
    if (this.#places.haveMoved()) this.#reload(this.#readStamp())
    const config = this.current
    if (this.#problem) throw this.#problem
    return config
  }

  /** Sentences for a person: why {@link current} differs from the file. */
  problems(): readonly string[] {
    if (this.isUnapproved || !(this.#problem instanceof AppError)) return []
    return [`${this.#problem.message} The approved one stays in force for what is under way.`]
  }

  #reload(stamp: string): void {
    this.#stamp = stamp
    try {
      this.#good = this.#read()
    } catch (error) {
      this.#problem = error // reported to the next request for a task
    }
  }

  /** @throws {ConfigError} when neither the file nor the approved copy can be used. */
  #read(): Config {
    const { config: approved, setups, hooks, addresses } = readTrust(this.#stateDir)
    const laid = readHomeConfig(this.#home, process.env)
    const { path, text, workflows } = laid
    this.#workflows = workflows.map(({ path }) => join(this.#home, path))
    const standing = trustStanding(laid, approved)
    const places = new Places(this.#home)
    this.#places = places
    const parse = (of: string | null) => {
      const config = parseConfigText({ home: this.#home, path }, of, process.env, places)
      const whole = withApprovedHooks(withForeignSetups(config, setups), hooks)
      return withApprovedAddresses(whole, addresses)
    }
    if (standing === "changed") {
      const good = parse(approved ?? null)
      this.#isUnapproved = false
      const what = text === null ? "no longer exists" : "has changed since it was approved"
      this.#problem = changeProblem(`${path} ${what}`, () => parse(text))
      return good
    }
    const config = parse(text)
    if (standing === "free") changeTrust(this.#stateDir, (now) => ({ ...now, config: text }))
    const wasApproved = this.#hasGood && !this.#isUnapproved
    this.#isUnapproved = standing === "first"
    this.#problem = this.#isUnapproved ? TrustNeededError.ofFirst(laid) : undefined
    // A revoked approval stops new work; running work keeps its configuration.
    return this.#isUnapproved && wasApproved ? this.#good : config
  }

  /**
   * Changes when one of the files does. A file that cannot be inspected is reported when it is
   * read.
   */
  #readStamp(): string {
    const files = Object.values(configPaths(this.#home, process.env)).filter(
      (path) => path !== null,
    )
    const stamped = [...files, ...this.#workflows, join(this.#stateDir, TRUST_FILE)]
    return stamped.map((path) => `${path} ${stampOf(path)}`).join(" ")
  }
}

/** A mistake in the new file is reported first: a person cannot approve such a file. */
function changeProblem(what: string, parse: () => Config): unknown {
  try {
    parse()
  } catch (error) {
    return error
  }
  return new TrustNeededError(what)
}

function stampOf(path: string): string {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    return stat
      ? `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`
      : `no ${basename(path)}`
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  }
}
