/** Finds the forge of a repository, and the login for it. */
import { assert } from "../../base/assert.ts"
import type { ForgeConfig, ForgeType } from "../../config/config.ts"
import { DaemonError } from "../../kernel/errors.ts"
import { readRemote } from "../../kernel/git/ask/remote-branch.ts"
import { hashAddresses } from "../../kernel/landing/hash-addresses.ts"
import type { RepoOfTask } from "../../kernel/tasks/actions/task-defaults.ts"
import { findHostToken } from "../rest/host-token.ts"
import type { ForgeOptions } from "./forges/api.ts"
import { ForgeError } from "./forges/errors.ts"
import type { Forge } from "./forges/forge.ts"
import { giteaForge } from "./forges/gitea.ts"
import { githubForge } from "./forges/github.ts"
import { gitlabForge } from "./forges/gitlab.ts"

/** A repository, and the hash of the addresses of its remote. */
export type PullAddress = { readonly name: string; readonly address: string }

type Named = { readonly name: string; readonly forge: ForgeConfig }

type Place = { readonly type: ForgeType; readonly api: string; readonly project: string }

/** A kind of forge. */
type Kind = {
  /** The public hosts, and the URLs of their APIs. */
  readonly apis: ReadonlyMap<string, string>
  /** Whether a path of an address can name a project. */
  isProject(parts: readonly string[]): boolean
  make(options: ForgeOptions): Forge
}

const KINDS: Readonly<Record<ForgeType, Kind>> = {
  github: {
    apis: new Map([["github.com", "https://api.github.com"]]),
    isProject: (parts) => parts.length === 2,
    make: githubForge,
  },
  gitlab: {
    apis: new Map([["gitlab.com", "https://gitlab.com/api/v4"]]),
    isProject: (parts) => parts.length >= 2,
    make: gitlabForge,
  },
  gitea: {
    apis: new Map([
      ["codeberg.org", "https://codeberg.org/api/v1"],
      ["gitea.com", "https://gitea.com/api/v1"],
    ]),
    isProject: (parts) => parts.length === 2,
    make: giteaForge,
  },
}
const TYPES = Object.keys(KINDS) as ForgeType[]

/** `https://host/owner/name.git`, `ssh://git@host:22/owner/name`, `git@host:owner/name`. */
const URL_FORM = /^[a-z+]+:\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/(.+?)(?:\.git)?\/?$/i
const SCP_FORM = /^(?:[^@/]+@)?([^/:]+):(?!\/\/)(.+?)(?:\.git)?\/?$/

/** @returns why the configuration and the address do not say enough. */
function findPlace({ name, forge }: Named, address: string): Place | { readonly why: string } {
  const [, named = "", path = ""] = URL_FORM.exec(address) ?? SCP_FORM.exec(address) ?? []
  const found = named.toLowerCase()
  const type = forge.type ?? TYPES.find((one) => KINDS[one].apis.has(found))
  if (type === undefined) {
    const which = `\`repos.${name}.forge.type\` (${TYPES.join(" or ")})`
    return { why: `Set ${which}: the kind of the forge on ${found || "its remote"} is not known.` }
  }
  const { apis, isProject } = KINDS[type]
  const [only = "", ...others] = apis.keys()
  // A path on this computer names no host.
  const host = found || (others.length === 0 ? only : "")
  const project = forge.project ?? (isProject(path.split("/")) ? path : undefined)
  if (project === undefined)
    return { why: `Set \`repos.${name}.forge.project\`: the remote's address names no project.` }
  if (!isProject(project.split("/")))
    return {
      why: `Set \`repos.${name}.forge.project\` to an owner and a name: ${project} has more parts.`,
    }
  const why = findTokenFault({ name, forge }, host, apis)
  if (why !== undefined) return { why }
  const api = forge.apiUrl ?? apis.get(host)
  assert(api !== undefined, "without `api_url` the host is a public one")
  return { type, api, project }
}

/**
 * An agent can change the address of a remote, so the address alone sends no token to a host: it is a
 * public one, or coppice.yml names it. @returns the key to set.
 */
function findTokenFault({ name, forge }: Named, host: string, apis: Kind["apis"]) {
  const key = `repos.${name}.forge`
  if (forge.tokenVariable !== undefined && forge.type === undefined)
    return `Set \`${key}.type\`: \`${key}.token_variable\` is the token for one kind of forge.`
  if (forge.apiUrl === undefined) {
    // With several public hosts the address would choose one of them for the token.
    const isKnown = apis.has(host) && (forge.tokenVariable === undefined || apis.size === 1)
    const on = host === "" ? "its host" : host
    return isKnown
      ? undefined
      : `Set \`${key}.api_url\`, the address of the API on ${on}: a token goes there.`
  }
  // With both keys the address chooses nothing. Its host may be a name from ssh's configuration.
  if (forge.project !== undefined) return undefined
  const { hostname } = new URL(forge.apiUrl)
  return hostname === host || hostname === `api.${host}`
    ? undefined
    : `The remote is on ${host}, and \`${key}.api_url\` is on ${hostname}. Change one, or set \`${key}.project\`.`
}

/** @throws {DaemonError} `forge.unknown` (user). */
export async function findPullAddress({ repo, target }: RepoOfTask): Promise<PullAddress> {
  const { remote } = repo.forge
  const found = await readRemote(target.path, remote)
  if (found === undefined)
    throw new DaemonError("forge.unknown", `${target.path} has no remote ${remote} to push to.`, [
      `\`git -C ${target.path} remote add ${remote} <url>\`, or name another one in \`repos.${target.name}.forge.remote\`.`,
    ])
  const place = findPlace({ name: target.name, forge: repo.forge }, found.push)
  if ("why" in place)
    throw new DaemonError("forge.unknown", `The forge of ${target.name} is not known.`, [place.why])
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
  find({ name, forge: config }: Named, address: string): Forge {
    const place = findPlace({ name, forge: config }, address)
    if ("why" in place)
      throw new ForgeError("forge.refused", `the forge of ${name} is not known`, {
        hints: [place.why],
      })
    const { type, api, project } = place
    const key = [type, api, project, config.tokenVariable ?? ""].join(" ")
    const known = this.#forges.get(key)
    if (known) return known
    const token = () => readToken(place, config)
    const made = KINDS[type].make({ api, project, token, nowMs: this.#nowMs })
    this.#forges.set(key, made)
    return made
  }
}

/** Read for each request, so that a new login counts at once; the host's program takes milliseconds. */
async function readToken({ type, api }: Place, { tokenVariable: variable }: ForgeConfig) {
  const found = await findHostToken({ type, api, variable }, process.env)
  return "token" in found ? found.token : undefined
}
