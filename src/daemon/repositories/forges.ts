/** Finds the forge of a repository, and the login for it. */
import type { ForgeConfig, RepoConfig } from "../../core/config.ts"
import { ForgeError } from "../../forges/errors.ts"
import type { Forge } from "../../forges/forge.ts"
import { githubForge } from "../../forges/github.ts"
import { readRemote } from "../../git/ask/remote-branch.ts"
import { hashAddresses } from "../../landing/ship/address.ts"
import { DaemonError } from "../errors.ts"
import { findGitHubToken } from "../github-token.ts"
import type { RepoOfTask } from "./task-defaults.ts"

/** A repository, and the hash of the addresses of its remote. */
export type PullAddress = { readonly name: string; readonly address: string }

type Place = { readonly api: string; readonly project: string }

/** `https://host/owner/name.git`, `ssh://git@host:22/owner/name`, `git@host:owner/name`. */
const URL_FORM = /^[a-z+]+:\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/(.+?)(?:\.git)?\/?$/i
const SCP_FORM = /^(?:[^@/]+@)?([^/:]+):(?!\/\/)(.+?)(?:\.git)?\/?$/

/** @returns undefined if the configuration and the address do not say enough. */
function findPlace(config: ForgeConfig, address: string): Place | undefined {
  const [, addressHost = "", path = ""] = URL_FORM.exec(address) ?? SCP_FORM.exec(address) ?? []
  const found = addressHost.toLowerCase()
  const isGitHub = config.type === "github" || found === "github.com"
  const project = config.project ?? (path.split("/").length === 2 ? path : undefined)
  if (!isGitHub || project === undefined) return undefined
  const host = found || "github.com"
  const own = host === "github.com" ? "https://api.github.com" : `https://${host}/api/v3`
  return { api: config.apiUrl ?? own, project }
}

/** @throws {DaemonError} `forge.unknown` (user). */
export async function findPullAddress({ repo, target }: RepoOfTask): Promise<PullAddress> {
  const { remote } = repo.forge
  const found = await readRemote(target.path, remote)
  const setting = `repos.${target.name}.forge`
  if (found === undefined)
    throw new DaemonError("forge.unknown", `${target.path} has no remote ${remote} to push to.`, [
      `\`git -C ${target.path} remote add ${remote} <url>\`, or name another one in \`${setting}.remote\`.`,
    ])
  if (!findPlace(repo.forge, found.push))
    throw new DaemonError("forge.unknown", `The forge of ${target.name} is not known.`, [
      `Set \`${setting}.type\` and \`${setting}.project\` in coppice.yml.`,
    ])
  return { name: target.name, address: hashAddresses(found) }
}

/** Where the remote of a target leads, hashed; undefined if there is none: its landings say so. */
export async function readAddress(path: string, name: string): Promise<string | undefined> {
  const remote = await readRemote(path, name)
  return remote && hashAddresses(remote)
}

/** Keeps a client for each place, which remembers answers and limits. */
export class KnownForges {
  readonly #forges = new Map<string, Forge>()
  readonly #nowMs: () => number

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** @throws {ForgeError} `forge.refused` (user). */
  find({ name, forge: config }: RepoConfig, address: string): Forge {
    const place = findPlace(config, address)
    if (!place)
      throw new ForgeError("forge.refused", `the forge of ${name} is not known`, {
        hints: [`Set \`repos.${name}.forge\` in coppice.yml.`],
      })
    const { api, project } = place
    const key = [api, project, config.tokenVariable ?? ""].join(" ")
    const known = this.#forges.get(key)
    if (known) return known
    const token = () => readToken(api, config)
    const made = githubForge({ api, project, token, nowMs: this.#nowMs })
    this.#forges.set(key, made)
    return made
  }
}

/** Read for each request, so that a new login counts at once; `gh` takes milliseconds. */
async function readToken(api: string, { tokenVariable: variable }: ForgeConfig) {
  const found = await findGitHubToken({ api, variable }, process.env)
  return "token" in found ? found.token : undefined
}
