/**
 * Finds what a home asks a person to approve: its coppice.yml, and programs that git configurations
 * of its repositories name.
 */

import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { parseConfigText } from "../../api/client/config/config-file.ts"
import { type HomeConfig, readHomeConfig } from "../../api/client/config/config-layers.ts"
import { readConfigText } from "../../api/client/config/config-text.ts"
import { configPathOf, type Home } from "../../api/client/home.ts"
import { stateDir } from "../../api/client/state-dir.ts"
import type { TrustDocument } from "../../api/wire/home.ts"
import type { Config } from "../../config/config.ts"
import { TrustNeededError } from "../../config/errors.ts"
import type { Env } from "../../config/substitute.ts"
import { isPending, listForeignSetups } from "../foreign-setup/foreign-setup.ts"
import { type ApprovedHooks, listHooks } from "../git-hooks/repository-hooks.ts"
import { type GitPrograms, readGitPrograms, readHooksFolder } from "./git-config.ts"
import { listAddresses } from "./push-address.ts"
import { type Asked, listAsked, listChangedKeys, trustStanding } from "./rules.ts"
import { changeTrust, hashForApproval, keepNamed, readTrust, type Trust } from "./trust-record.ts"

/** The facts that {@link approveFound} records: exactly those shown. */
export type Found = {
  readonly document: TrustDocument
  readonly stateDir: string
  readonly approving: Trust
  readonly config: Config
  /** Programs that git does not run on the files of contained agents, approved or not. */
  readonly reaching: TrustDocument["git"]
}

/** @throws ConfigError if coppice.yml has mistakes: it cannot be approved then. */
export async function examineTrust({ home }: Pick<Home, "home">, env: Env): Promise<Found> {
  const dir = stateDir(home, env)
  const trust = readTrust(dir)
  const laid = readHomeConfig(home, env)
  const { path, text: file } = laid
  const config = parseConfigText({ home, path }, file, env)
  const repos = await listPrograms(home, config, env)
  const standing = trustStanding(laid, trust.config)
  const pending = repos.filter(({ gitDir, programs }) => !isApproved(trust, gitDir, programs))
  const setups = listForeignSetups(home, config, trust.setups)
  const findFolder = (path: string) => readHooksFolder(path, env)
  const hooks = await listHooks({ home, findFolder }, config, trust.hooks)
  const addresses = await listAddresses(home, config, env, trust.addresses)
  const isInForce = standing !== "first" && standing !== "changed"
  const document = {
    home,
    path: file === null ? null : path,
    approved:
      pending.length === 0 &&
      isInForce &&
      !setups.some(isPending) &&
      hooks.every(({ found, approved }) => found === approved) &&
      addresses.every(({ repo, found }) => isSame(trust.addresses?.[repo.path], found)),
    config: [
      ...itemsOf(laid, trust, standing === "changed"),
      ...setups.map(({ repo, found, approved }) => ({
        where: `set-up of ${repo.name}, from ${(found ?? approved)?.source}`,
        what: found?.command ?? GONE,
      })),
      ...hooks.map(({ repo, name, found }) => ({
        where: `git hook ${name} of ${repo.name}`,
        what: found ?? GONE,
      })),
      ...addresses.map(({ repo, shown }) => ({
        where: `remote ${repo.forge.remote} of ${repo.name}`,
        what: `pushes to ${shown}`,
      })),
    ],
    changed: standing === "changed",
    git: repos.flatMap(({ gitDir, programs }) => itemsOfGit(gitDir, programs)),
  }
  const git = Object.fromEntries(
    repos.map(({ gitDir, programs }) => [gitDir, hashForApproval(programs)]),
  )
  const found = setups.flatMap(({ repo, found }) => (found ? [[repo.path, found] as const] : []))
  const setupsFound = Object.fromEntries(found)
  const approving = { config: file, git, setups: setupsFound, hooks: hooksByRepo(hooks) }
  const known = Object.fromEntries(addresses.map(({ repo, found }) => [repo.path, found]))
  const isFenced = config.agents.some(({ containment }) => containment.by !== "none")
  const reaching = isFenced ? repos.flatMap((repo) => itemsOfGit(repo.gitDir, repo.reaching)) : []
  const approved = { ...approving, addresses: known }
  return { document, stateDir: dir, approving: approved, config, reaching }
}

const itemsOfGit = (gitDir: string, programs: GitPrograms["programs"]) =>
  programs.map(({ key, value }) => ({
    where: `${gitDir}: ${textOfBytes(key)}`,
    what: textOfBytes(value),
  }))

export function approveFound({
  document: { home },
  stateDir: dir,
  approving,
  config,
}: Found): void {
  const { git, ...rest } = approving
  changeTrust(dir, (now) => ({ ...rest, git: { ...keepNamed(now.git, home, config), ...git } }))
}

/** Without a record the next task makes one. */
const isSame = (approved: string | undefined, found: string) =>
  approved === undefined || approved === found

const GONE = "(no longer there)"

function hooksByRepo(hooks: Awaited<ReturnType<typeof listHooks>>): ApprovedHooks {
  const byRepo = Map.groupBy(hooks, ({ repo }) => repo.path)
  return Object.fromEntries(
    [...byRepo].map(([path, found]) => [
      path,
      Object.fromEntries(found.map(({ name, found }) => [name, found])),
    ]),
  )
}

/**
 * Approves coppice.yml as it is, right after `coppice init` wrote it. @returns false, and approves
 * nothing, where another file takes part: a clone may have brought it, and no person has seen it.
 */
export function approveConfig({ home }: Pick<Home, "home">, env: Env): boolean {
  const { text: config } = readHomeConfig(home, env)
  if (config !== readConfigText(configPathOf(home))) return false
  changeTrust(stateDir(home, env), (now) => ({ ...now, config }))
  return true
}

/** @throws {TrustNeededError} (user) if a daemon could do nothing but answer. */
export function refuseUnapproved({ home }: Pick<Home, "home">, env: Env): void {
  const laid = readHomeConfig(home, env)
  if (trustStanding(laid, readTrust(stateDir(home, env)).config) === "first")
    throw TrustNeededError.ofFirst(laid)
}

export function revoke({ stateDir: dir }: Found): void {
  changeTrust(dir, () => ({ config: undefined, git: {} }))
}

const itemsOf = (laid: HomeConfig, { config }: Trust, isChanged: boolean): Asked[] =>
  isChanged ? listChangedKeys(config ?? null, laid.text) : listAsked(laid)

async function listPrograms(home: string, { repos }: Config, env: Env): Promise<GitPrograms[]> {
  const paths = [...new Set(repos.map(({ path }) => resolve(home, path)))]
  const present = paths.filter((path) => existsSync(path))
  const found = await Promise.all(present.map((path) => readGitPrograms(path, env)))
  return found.filter((one) => one !== undefined)
}

/** The text of bytes. Each byte that is no UTF-8 is half a letter, which displays mark: no two settings look the same. */
export function textOfBytes(bytes: string): string {
  const text = Buffer.from(bytes, "latin1").toString("utf8")
  const isWhole = Buffer.from(text).toString("latin1") === bytes
  const half = (byte: string) => String.fromCharCode(0xdc00 + byte.charCodeAt(0))
  return isWhole ? text : bytes.replace(/[\x80-\xff]/g, half)
}

const isApproved = ({ git }: Trust, gitDir: string, programs: GitPrograms["programs"]) =>
  programs.length === 0 || git[gitDir] === hashForApproval(programs)
